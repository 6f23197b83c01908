import { randomBytes, randomInt } from 'node:crypto';
import { request } from 'node:http';
import { issueCredential } from '#domain/shared/credential.ts';
import { type HostileBehaviour, hostileBehaviours } from '../models/hostile/hostile-model.ts';

/** A service to attack, and the key of one of its customers. The attacker knows only the account in the key. */
export interface Target {
  readonly origin: string;
  readonly key: string;
}

/** One round of an attack. Returns the status, or 0 if the attacker did not wait for it. */
type Attacker = (target: Target, round: number) => Promise<number>;

const letters = 'abcdefghijklmnopqrstuvwxyz';
const randomWord = () => Array.from({ length: 4 }, () => letters[randomInt(26)]).join('');

/** Random words of `bytes` bytes in total that no vocabulary contains. */
const randomWords = (bytes: number): string => Array.from({ length: Math.floor(bytes / 5) }, randomWord).join(' ');

/** A key with a valid checksum that was never issued. */
const forgedKey = (accountId = randomInt(2 ** 40)): string =>
  issueCredential('key', accountId, { bytes: randomBytes }).text;

async function post({ origin }: Target, path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(90_000),
  });
  await response.text();
  return response.status;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const chatWith = (content: string, more: object = {}) => ({
  model: 'svc-1',
  messages: [{ role: 'user', content }],
  ...more,
});

const megabyteOfWords = randomWords(1_000_000);
const embeddingTexts = Array.from({ length: 100 }, () => randomWords(50_000));

function hostile(behaviour: HostileBehaviour): Attacker {
  const attack: Attacker = (target, round) => {
    const [path, body] =
      round % 2 === 0
        ? ['/v1/chat/completions', chatWith(behaviour, { stream: behaviour.includes('stream') })]
        : ['/v1/completions', { model: 'svc-instruct', prompt: behaviour, stream: behaviour.includes('stream') }];
    return post(target, path, body, bearer(target.key));
  };
  return Object.defineProperty(attack, 'name', { value: `model: ${behaviour}` });
}

/** Disconnects from a stream after its first bytes. */
async function readerWhoLeaves({ origin, key }: Target): Promise<number> {
  const leaving = new AbortController();
  const response = await fetch(`${origin}/v1/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer(key) },
    body: JSON.stringify({ model: 'svc-instruct', prompt: 'Once upon a time', stream: true }),
    signal: leaving.signal,
  });
  await response.body?.getReader().read();
  leaving.abort();
  return 0;
}

/** Like a page of another site after DNS rebinding to this machine. */
function foreignPage({ origin }: Target): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const headers = { host: 'attacker.example', origin: 'http://attacker.example', 'sec-fetch-site': 'cross-site' };
  const sent = request(`${origin}/_local/status`, { headers }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0));
  });
  sent.on('error', () => resolve(0)).end();
  return promise;
}

const named = (name: string, attack: Attacker): Attacker => Object.defineProperty(attack, 'name', { value: name });

/** All attackers. Each sends one request at a time. */
export const attackers: readonly Attacker[] = [
  named('forged key, megabyte of words', (target) =>
    post(target, '/v1/chat/completions', chatWith(megabyteOfWords), bearer(forgedKey())),
  ),
  named('forged key, embeddings', (target) =>
    post(target, '/v1/embeddings', { model: 'svc-embed', input: embeddingTexts }, bearer(forgedKey())),
  ),
  named('working key, too long a prompt', (target) =>
    post(target, '/v1/chat/completions', chatWith(megabyteOfWords), bearer(target.key)),
  ),
  named('working key, texts too long', (target) =>
    post(target, '/v1/embeddings', { model: 'svc-embed', input: embeddingTexts }, bearer(target.key)),
  ),
  named('one word and a megabyte of marks', (target) =>
    post(
      target,
      '/api/ai/translate',
      { text: `字${'!'.repeat(1_000_000)}`, sourceLanguage: 'zh', targetLanguage: 'en' },
      bearer(target.key),
    ),
  ),
  named('poisoned Idempotency-Key', (target, round) =>
    post(target, '/v1/chat/completions', chatWith('poison'), {
      ...bearer(forgedKey()),
      'idempotency-key': `order-${round % 50}`,
    }),
  ),
  named('guesses', (target, round) =>
    post(target, '/api/auth/login', { email: `person-${round % 20}@example.com`, password: 'a quiet guess of mine' }),
  ),
  named('forgotten passwords', (target) => post(target, '/api/auth/forgot-password', { email: 'demo@example.com' })),
  named('names that are links', (target, round) =>
    post(target, '/api/auth/register', {
      email: `named-${round}@example.com`,
      name: 'Visit\nhttps://evil.example now',
      password_hash: 'a quiet river bank',
    }),
  ),
  named('page of another site', foreignPage),
  named('reader who leaves', readerWhoLeaves),
  ...hostileBehaviours.map(hostile),
];
