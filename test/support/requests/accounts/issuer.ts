import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '#local/shared/loopback.ts';
import { flood } from '../../models/hostile/hostile-runtime.ts';

/** Behavior of the issuer's key set endpoint. */
type Mood = 'serving' | 'failing' | 'garbled' | 'misshapen' | 'silent' | 'endless' | 'redirecting';
type Claims = Readonly<Record<string, unknown>>;

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: object;
  readonly publicPem: string;
}

export type TestIssuer = Awaited<ReturnType<typeof startIssuer>>;

const audience = 'client-1.apps.googleusercontent.com';

let keysMade = 0;

export function newSigningKey(kid = `key-${++keysMade}`): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
  return { kid, privateKey, publicJwk, publicPem: String(publicKey.export({ format: 'pem', type: 'spki' })) };
}

/** An identity provider for tests, which serves its keys over HTTP with the selected behavior. */
export async function startIssuer(key: SigningKey) {
  let [mood, published, fetches]: [Mood, readonly SigningKey[], number] = ['serving', [key], 0];
  const server = await listen((_, response) => void respond(response));

  async function respond(response: ServerResponse): Promise<void> {
    fetches += 1;
    if (mood === 'silent') await sleep(10_000, undefined, { ref: false });
    if (mood === 'endless') return flood(response.writeHead(200), ' '.repeat(65_536));
    if (mood === 'redirecting') return void response.writeHead(302, { location: '/elsewhere' }).end();
    const keys = published.map(({ publicJwk }) => publicJwk);
    const body = { garbled: '<html>', misshapen: '{"keys": 5}' }[mood as string] ?? JSON.stringify({ keys });
    response.writeHead(mood === 'failing' ? 500 : 200, { 'content-type': 'application/json' }).end(body);
  }

  return {
    ...server,
    environment: {
      IDENTITY_AUDIENCE: audience,
      IDENTITY_ISSUERS: 'https://accounts.google.com,accounts.google.com',
      IDENTITY_KEYS_URL: `${server.url}/certs`,
    },
    fetches: () => fetches,
    publish: (...keys: SigningKey[]) => void (published = keys),
    become: (next: Mood) => void (mood = next),
  };
}

/** Claims of a valid token; `now` in epoch seconds. */
export const claimsFor = (email: string, now: number): Claims => ({
  iss: 'https://accounts.google.com',
  aud: audience,
  sub: `sub-of-${email}`,
  email,
  email_verified: true,
  name: 'Ada Lovelace',
  iat: now,
  exp: now + 3600,
  jti: Math.random(),
});

/** A token with these claims, without the undefined ones. `header` overrides or extends kid and typ. */
export function signed({ kid, privateKey }: SigningKey, claims: Claims, header: Claims = {}): string {
  const text = [{ alg: 'RS256', kid, typ: 'JWT', ...header }, claims].map(encoded).join('.');
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

export const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
