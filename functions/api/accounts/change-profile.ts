import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const changeProfile: Operation<typeof accountRoutes.changeProfile> = ({ profile }, { input, caller }) =>
  profile().rename(caller.account, input.body.name);

export const handler = endpoint(accountRoutes.changeProfile, changeProfile);
