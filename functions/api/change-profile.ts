import { routes } from '#contract/routes.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const changeProfile: Operation<typeof routes.changeProfile> = ({ profile }, { input, caller }) =>
  profile().rename(caller.account, input.body.name);

export const handler = endpoint(routes.changeProfile, changeProfile);
