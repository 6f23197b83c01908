import { accountRoutes } from '#contract/routes/accounts.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const changePassword: Operation<typeof accountRoutes.changePassword> = async (
  services,
  { input, caller, device, setSession, setDevice },
) => {
  await services.signIn().prove(caller.account, input.body.currentPassword);
  await services.passwords().change(caller.account, input.body.newPassword);
  const account = await services.profile().get(caller.accountId);
  setSession(await services.sessions().open(account));
  setDevice(await services.devices().remember(account, device));
};

export const handler = endpoint(accountRoutes.changePassword, changePassword);
