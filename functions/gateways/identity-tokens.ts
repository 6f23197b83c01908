import { createHash } from 'node:crypto';
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, jwtVerify } from 'jose';
import * as v from 'valibot';
import { BodyTooLarge, collectBody } from '#aws/bounded-body.ts';
import { email } from '#contract/accounts/email.ts';
import { nameFor } from '#domain/accounts/account.ts';
import type { IdentityTokens } from '#domain/accounts/google-sign-in.ts';
import { ServiceError } from '#domain/shared/service-error.ts';

/** Settings of the identity provider. Without an audience, sign-in with it is disabled. */
export interface IdentityProvider {
  readonly audience: string | undefined;
  readonly issuers: readonly string[];
  readonly keysUrl: string;
}

/** Tolerated difference between our clock and the provider's. */
const toleranceSeconds = 60;

const Claims = v.object({
  iss: v.string(),
  sub: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
  email,
  email_verified: v.union([v.literal(true), v.literal('true')]),
  name: v.fallback(v.optional(v.string()), undefined),
  iat: v.number(),
  exp: v.number(),
});

/** Maximum bytes of the provider's keys. Google's two keys use 1 KB. */
const maxKeysBytes = 64 * 1024;

/** Replaces the library's fetch: follows no redirects, has a timeout, and limits the body. */
const fetchKeys: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options);
  const { status, body } = response;
  return status === 200 && body ? new Response(await collectBody(body, maxKeysBytes), { status }) : response;
};

/**
 * Verifies Google's identity tokens: RS256 signature with the provider's keys (cached, fetched at most once a minute),
 * audience, issuer, expiry, issue time and verified address (Google "Verify the Google ID token on your server side").
 */
export function identityTokens({ audience, issuers, keysUrl }: IdentityProvider): IdentityTokens {
  const options = { cooldownDuration: 60_000, timeoutDuration: 3000, [customFetch]: fetchKeys };
  const keys = createRemoteJWKSet(new URL(keysUrl), options);

  return {
    async verify(token, now) {
      if (!audience) throw new ServiceError('INVALID_IDENTITY_TOKEN', 'Sign-in with Google is not available.');
      const claims = await claimsOf(token, { audience, issuer: [...issuers], currentDate: new Date(now) });
      if (claims.iat > now / 1000 + toleranceSeconds) throw invalid('it is from the future');
      const issuer = claims.iss.replace(/^https:\/\//, '');
      const name = nameFor(claims.email, claims.name);
      return {
        issuer,
        subject: claims.sub,
        email: claims.email,
        name,
        digest: digestOf(token),
        issuedAt: claims.iat * 1000,
        expiresAt: (claims.exp + toleranceSeconds) * 1000,
      };
    },
  };

  async function claimsOf(token: string, options: { audience: string; issuer: string[]; currentDate: Date }) {
    try {
      const requiredClaims = ['exp', 'iat', 'sub', 'email'];
      const rules = { ...options, algorithms: ['RS256'], clockTolerance: toleranceSeconds, requiredClaims };
      return v.parse(Claims, (await jwtVerify(token, keys, rules)).payload);
    } catch (cause) {
      throw isUnreachable(cause) ? unavailable(cause) : invalid(cause);
    }
  }
}

/**
 * Identifies the token by its signed content. The unused base64 bits of a signature allow several spellings, and a
 * token must not be accepted again in another spelling.
 */
function digestOf(token: string): string {
  return createHash('sha256')
    .update(token.slice(0, token.lastIndexOf('.')))
    .digest('base64url');
}

/** The provider's keys could not be fetched or parsed, so the token could not be verified. */
function isUnreachable(cause: unknown): boolean {
  return (
    cause instanceof errors.JWKSTimeout ||
    cause instanceof errors.JWKSInvalid ||
    cause instanceof BodyTooLarge ||
    (cause instanceof TypeError && cause.message === 'fetch failed') ||
    (cause instanceof errors.JOSEError && /JSON Web Key Set HTTP response/.test(cause.message))
  );
}

function unavailable(cause: unknown): ServiceError {
  const detail = 'The identity provider could not be reached. Try again.';
  return new ServiceError('SERVICE_UNAVAILABLE', detail, { cause, retryAfterSeconds: 5 });
}

function invalid(cause: unknown): ServiceError {
  return new ServiceError(
    'INVALID_IDENTITY_TOKEN',
    'token must be a valid identity token for this service, with a verified email address.',
    { cause },
  );
}
