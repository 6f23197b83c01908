import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const changePassword: Operation<typeof accountRoutes.changePassword> = async (
  services,
  { input, caller, setSession },
) => {
  await services.signIn().prove(caller.account, input.body.currentPassword);
  await services.passwords().change(caller.account, input.body.newPassword);
  setSession(await services.sessions().open(await services.profile().get(caller.accountId)));
};

export const handler = endpoint(accountRoutes.changePassword, changePassword);
