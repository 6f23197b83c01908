import * as v from 'valibot';
import { instant, text } from '../shared/fields.ts';
import { factorProof, LoginUser, ownerProof, totpCode } from './accounts.ts';
import { keyName } from './names.ts';

const body = 'must be a JSON object';

export const SecondFactor = v.pipe(
  v.object(factorProof, body),
  v.check(({ code, recoveryCode }) => (code ?? recoveryCode) !== undefined, 'must have code or recoveryCode'),
);

/** Proof of the owner, which a session of the last 10 minutes does not need. */
export const RecentOwner = v.optional(v.object(ownerProof, body), {});

export const TotpSetup = v.object({
  secret: v.pipe(v.string(), v.description('For authenticator apps, in Base32.')),
  otpauthUrl: v.pipe(v.string(), v.description('Contains the secret. Shown as a QR code.')),
});
export const TotpConfirmation = v.object({ code: totpCode }, body);
export const RecoveryCodes = v.object({
  recoveryCodes: v.pipe(v.array(v.string()), v.description('Each works once, in place of a code. Returned only here.')),
});

/** Binary values in base64url. The longest is an attestation with an RSA key. */
const binary = v.pipe(
  v.string('must be a string'),
  v.regex(/^[\w-]*$/, 'must be base64url'),
  v.maxLength(8192, 'must have at most 8192 characters'),
);

/** A `PublicKeyCredential` as JSON (Web Authentication Level 3), of either ceremony. */
export const PasskeyResponse = v.object(
  {
    name: v.pipe(v.optional(keyName, 'Passkey'), v.description('Name of a new passkey.')),
    id: binary,
    rawId: binary,
    type: v.literal('public-key', 'must be public-key'),
    response: v.object(
      {
        clientDataJSON: binary,
        attestationObject: v.pipe(v.optional(binary), v.description('Of a new passkey.')),
        authenticatorData: v.pipe(v.optional(binary), v.description('Of a sign-in, with the next two fields.')),
        signature: v.optional(binary),
        userHandle: v.optional(binary),
        transports: v.optional(v.pipe(v.array(text(32)), v.maxLength(10, 'must have at most 10 entries'))),
      },
      body,
    ),
  },
  body,
);

const Passkey = v.object({
  id: v.string(),
  name: v.string(),
  createdAt: instant,
  lastUsedAt: v.pipe(v.nullable(instant), v.description('The last sign-in with it.')),
});
export const PasskeyList = v.object({ items: v.array(Passkey), nextCursor: v.null() });
export const PasskeyPath = v.object({ id: text(64) });
/** A new passkey, or the user who signed in. */
export const VerifiedPasskey = v.union([LoginUser, Passkey]);

const required = v.literal('required');
const descriptor = v.object({
  id: v.string(),
  type: v.literal('public-key'),
  transports: v.array(v.string()),
});
const CreationOptions = v.object({
  challenge: v.string(),
  rp: v.object({ id: v.string(), name: v.string() }),
  user: v.object({ id: v.string(), name: v.string(), displayName: v.string() }),
  pubKeyCredParams: v.array(v.object({ type: v.literal('public-key'), alg: v.number() })),
  timeout: v.number(),
  excludeCredentials: v.array(descriptor),
  authenticatorSelection: v.object({
    residentKey: required,
    requireResidentKey: v.boolean(),
    userVerification: required,
  }),
  attestation: v.literal('none'),
});
const RequestOptions = v.object({
  challenge: v.string(),
  rpId: v.string(),
  timeout: v.number(),
  userVerification: required,
});
/** `PublicKeyCredentialCreationOptionsJSON` in a session, otherwise `PublicKeyCredentialRequestOptionsJSON`. */
export const PasskeyOptions = v.union([CreationOptions, RequestOptions]);
