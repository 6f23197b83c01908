import { passwordRoutes } from '#contract/routes/accounts/passwords.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

/** Opens no session, but the browser is known from here on: strangers' guesses must not stop the sign-in that follows. */
const resetPassword: Operation<typeof passwordRoutes.resetPassword> = async (
  { passwords, devices },
  { input, device, setDevice },
) => {
  const account = await passwords().reset(input.body.token, input.body.newPassword);
  setDevice(await devices().remember(account, device));
};

export const handler = endpoint(passwordRoutes.resetPassword, resetPassword);
