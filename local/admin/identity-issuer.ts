import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import * as v from 'valibot';
import { email } from '#contract/accounts/email.ts';
import { readJsonFile, writeJsonFile } from '../shared/data-folder.ts';

export const IdentityTokenOrder = v.object(
  { email, name: v.pipe(v.string(), v.minLength(1)) },
  'The body must be {"email": "…", "name": "…"}.',
);

/** Stands in for Google: signs identity tokens and publishes the public key. */
export interface IdentityIssuer {
  readonly issuer: string;
  /**
   * An RS256 token, valid for one hour, with iss, aud `local`, sub, email, email_verified and name. An address always
   * has the same sub.
   */
  token(person: v.InferOutput<typeof IdentityTokenOrder>): Promise<string>;
  readonly keySet: { readonly keys: readonly JWK[] };
  readonly configuration: Readonly<Record<string, unknown>>;
}

const algorithm = 'RS256';
const Jwk = v.looseObject({ kty: v.literal('RSA'), n: v.string(), e: v.string(), d: v.string() });

/** Keeps the key pair in a file, so that tokens survive a restart. `now` in epoch ms. */
export async function openIdentityIssuer(file: string, origin: string, now: () => number): Promise<IdentityIssuer> {
  const stored = (await readJsonFile(file, Jwk)) ?? (await newKeyPair(file));
  const privateKey = await importJWK(stored, algorithm);
  const { kty, n, e } = stored;
  const kid = await calculateJwkThumbprint({ kty, n, e });
  const issuer = `${origin}/_local/identity`;

  function token(person: v.InferOutput<typeof IdentityTokenOrder>): Promise<string> {
    const issuedAt = Math.floor(now() / 1000);
    return new SignJWT({ email: person.email, email_verified: true, name: person.name })
      .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience('local')
      .setSubject(createHash('sha256').update(person.email.toLowerCase()).digest('hex').slice(0, 21))
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 3600)
      .sign(privateKey);
  }

  return {
    issuer,
    token,
    keySet: { keys: [{ kty, n, e, kid, alg: algorithm, use: 'sig' }] },
    configuration: {
      issuer,
      jwks_uri: `${issuer}/jwks.json`,
      id_token_signing_alg_values_supported: [algorithm],
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
    },
  };
}

async function newKeyPair(file: string): Promise<v.InferOutput<typeof Jwk>> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = v.parse(Jwk, await exportJWK(privateKey));
  await writeJsonFile(file, jwk);
  return jwk;
}
