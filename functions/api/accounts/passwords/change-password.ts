import { passwordRoutes } from '#contract/routes/accounts/passwords.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { InputCheck, Operation } from '#runtime/endpoints/operation.ts';

const changePassword: Operation<typeof passwordRoutes.changePassword> = async (
  services,
  { input, caller, device, origin, setSession, setDevice },
) => {
  const { currentPassword: password, identityToken, newPassword } = input.body;
  await services.ownerProof().demand(caller.account, { password, identityToken });
  await services.passwords().change(caller.account, newPassword);
  const account = await services.profile().get(caller.accountId);
  setSession(await services.sessions().open(account, origin));
  setDevice(await services.devices().remember(account, device));
};

/** Before the current password is looked at: a bad request is no guess. */
const checkPassword: InputCheck<typeof passwordRoutes.changePassword> = async ({ passwords }, { input, caller }) => {
  if (caller?.kind === 'session') await passwords().checkNew(caller.account, input.body.newPassword);
};

export const handler = endpoint(passwordRoutes.changePassword, changePassword, checkPassword);
