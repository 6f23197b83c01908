import { t } from '@lingui/core/macro';
import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import { passkeyVerificationRoutes, secondFactorRoutes } from '#contract/routes/second-factor.ts';
import { call, type Input } from './call.ts';
import { ApiError, type Data } from './response.ts';

type Proof = NonNullable<Input<typeof secondFactorRoutes.passkeyOptions>['body']>;
type Verified = Data<typeof passkeyVerificationRoutes.verifyPasskey>;
type User = Extract<Verified, { readonly email: string }>;

/** Asks the browser for a new passkey and adds it to the account. Throws an ApiError. */
export async function addPasskey(name: string, proof: Proof): Promise<void> {
  const optionsJSON = await call(secondFactorRoutes.passkeyOptions, { body: proof });
  if (!('rp' in optionsJSON)) throw new ApiError('INVALID_API_KEY', t`The session has ended. Sign in again.`);
  const response = await startRegistration({ optionsJSON }).catch(explain);
  await call(passkeyVerificationRoutes.verifyPasskey, { body: { ...response, name } });
}

/** Asks the browser for a passkey of this service and signs in with it. Throws an ApiError. */
export async function signInWithPasskey(): Promise<User> {
  const optionsJSON = await call(secondFactorRoutes.passkeyOptions, { body: {} });
  // Another tab has signed in meanwhile.
  if ('rp' in optionsJSON) throw new ApiError('INVALID_STATE', t`You are already signed in. Reload the page.`);
  const response = await startAuthentication({ optionsJSON }).catch(explain);
  const user = await call(passkeyVerificationRoutes.verifyPasskey, { body: response });
  if (!('email' in user)) throw new ApiError('INVALID_STATE', t`You are already signed in. Reload the page.`);
  return user;
}

/** Browsers do not say whether the user cancelled or has no passkey. */
function explain(error: unknown): never {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    throw new ApiError('INVALID_STATE', t`This device already has a passkey for your account.`);
  throw new ApiError('INVALID_STATE', t`No passkey was used: the request was cancelled or has expired. Try again.`);
}
