import type { passkeyVerificationRoutes } from '#contract/routes/second-factor.ts';
import type { Operation } from '#runtime/operation.ts';
import { ceremonies } from '#runtime/services/passkeys.ts';
import { beginSession, signedIn } from '#runtime/session.ts';

/** The response of the authenticator decides, because a sign-in may also begin with a session. */
export const verifyPasskey: Operation<typeof passkeyVerificationRoutes.verifyPasskey> = async (services, call) => {
  const { name, ...response } = call.input.body;
  const { caller } = call;
  const { add, signIn } = await ceremonies(services);
  if (!caller || response.response.attestationObject === undefined)
    return signedIn(services, call, await signIn(response), { byPasskey: true });
  const added = await add(caller.account, response, name);
  await beginSession(services, call, await services.profile().get(caller.accountId), { byPasskey: true });
  return added;
};
