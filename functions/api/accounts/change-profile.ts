import { accountRoutes } from '#contract/routes/accounts/accounts.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const changeProfile: Operation<typeof accountRoutes.changeProfile> = ({ profile }, { input, caller }) =>
  profile().rename(caller.account, input.body.name);

export const handler = endpoint(accountRoutes.changeProfile, changeProfile);
