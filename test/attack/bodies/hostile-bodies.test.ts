import { randomBytes } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { issueCredential } from '#domain/shared/credential.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { hostilePieces, hostileText, processorMs, randomOf } from '#test/attacks/hostile-texts.ts';
import { atLength, patience, seed, someOf } from '#test/many.ts';
import { useCountedApi } from '#test/service/watched/counted-api.ts';

/** CPU time of this process, with service, database client and caller, per started MiB of body. The bound of the service alone, for the whole body, is in `hostile-batches.test.ts`. */
const maxRefusalMs = 300;
const maxAdmissionMs = 500;

const mebibyte = 2 ** 20;

const api = useCountedApi();
beforeAll(async () => {
  // One-time work of the process: the vocabulary and the word lists.
  await bpeTokenizer.count('x');
  const { key } = await api.account();
  for (const [path, bodyOf] of Object.entries(bodies)) await api.post(path, key, bodyOf('你好 x', 4));
});

type BodyOf = (text: string, output: number) => object;

const chat: BodyOf = (content, max_tokens) => ({
  model: 'svc-1-32k',
  max_tokens,
  messages: [{ role: 'user', content }],
});
const completion: BodyOf = (prompt, max_tokens) => ({ model: 'svc-1-32k', prompt, max_tokens });
const embeddings: BodyOf = (text) => ({ model: 'svc-embed', input: text });
const bodies: Readonly<Record<string, BodyOf>> = {
  '/v1/chat/completions': chat,
  '/v1/completions': completion,
  '/v1/embeddings': embeddings,
  '/openai/v1/chat/completions': chat,
  '/anthropic/v1/messages': chat,
  '/anthropic/v1/messages/count_tokens': chat,
  '/openai/v1/completions': completion,
  '/openai/v1/embeddings': embeddings,
  '/api/ai/analyze': (text) => ({ text, analyses: ['pii', 'entities'] }),
  '/api/ai/translate': (text) => ({ text, sourceLanguage: 'en', targetLanguage: 'fr' }),
};

/** A key of an existing account with a valid checksum that was never issued. */
const forged = (accountId: number): string =>
  issueCredential('key', accountId, { bytes: (size) => randomBytes(size) }).text;

/** The body with as much of a text as fits into the given bytes, including escapes. */
function fitted(bodyOf: BodyOf, text: string, bytes: number, output: number): string {
  const body = JSON.stringify(bodyOf(text, output));
  const size = Buffer.byteLength(body);
  if (size <= bytes) return body;
  return fitted(bodyOf, text.slice(0, Math.floor((text.length * bytes) / size) - 100).toWellFormed(), bytes, output);
}

/** An admitted call ran its model, whatever it returned. */
const isRefused = (status: number): boolean => status !== 200 && status !== 502;

async function timed(path: string, key: string, body: string, headers = {}) {
  let response: Awaited<ReturnType<typeof api.post>> | undefined;
  const ms = await processorMs(async () => {
    response = await api.post(path, key, body, headers);
  });
  if (!response) throw new Error('no response');
  const bound =
    (isRefused(response.status) ? maxRefusalMs : maxAdmissionMs) * Math.ceil(Buffer.byteLength(body) / mebibyte);
  return { ...response, ms, bound };
}

/** The compiler, garbage collection and other processes use CPU time too, so only a second excess counts. */
async function timedTwice(path: string, key: string, body: string) {
  const one = await timed(path, key, body);
  if (one.ms < one.bound) return one;
  const other = await timed(path, key, body);
  return one.ms < other.ms ? one : other;
}

describe('a forged key with a valid checksum', () => {
  it.each(Object.entries(bodies))(
    'is refused by %s after one read, before its body is counted',
    async (path, bodyOf) => {
      const { accountId } = await api.account();
      const random = randomOf(seed);
      const bytes = path.endsWith('embeddings') ? 5 * mebibyte : mebibyte;
      for (const kind of ['words of four letters', 'runs of marks', 'Chinese and marks']) {
        const { status, operations, ms, bound } = await timed(
          path,
          forged(accountId),
          fitted(bodyOf, hostileText(kind, bytes, random), bytes, 9),
        );
        expect([status, operations]).toEqual([401, ['GetItem']]);
        expect(ms, `of ${kind}`).toBeLessThan(bound / 2);
      }
    },
  );

  it('stores nothing under an Idempotency-Key of the customer, on any route', async () => {
    const { accountId, key } = await api.account();
    const headers = { 'idempotency-key': 'order-17' };
    for (const [path, bodyOf] of Object.entries(bodies)) {
      for (const text of ['Hello', 'word '.repeat(20_000)]) {
        const refused = await timed(path, forged(accountId), JSON.stringify(bodyOf(text, 9)), headers);
        expect([refused.status, refused.operations]).toEqual([401, ['GetItem']]);
      }
      const kept = await api.client.send(new ScanCommand({ TableName: tables.idempotency.name }));
      expect(kept.Items).toEqual([]);
    }
    const served = await timed('/v1/chat/completions', key, JSON.stringify(chat('Hello', 9)), headers);
    expect(served.status).toBe(200);
    const taken = await timed('/v1/chat/completions', forged(accountId), JSON.stringify(chat('Bye', 9)), headers);
    expect(taken.status).toBe(401);
    const again = await timed('/v1/chat/completions', key, JSON.stringify(chat('Hello', 9)), headers);
    expect([again.status, again.operations.includes('model')]).toEqual([200, false]);
  });
});

describe('the CPU time of an authenticated request', () => {
  it.each(someOf([...Object.keys(hostilePieces), 'all kinds'], 6, seed))(
    'is bounded at the largest body: %s',
    async (kind) => {
      const random = randomOf(seed);
      const { key } = await api.account();
      for (const [path, bodyOf] of Object.entries(bodies)) {
        const text = hostileText(kind, mebibyte, random);
        const { status, ms, bound } = await timedTwice(path, key, fitted(bodyOf, text, mebibyte, 9));
        expect([200, 400, 502]).toContain(status);
        expect(ms, `${path} of ${kind}: ${status} (SEED=${seed})`).toBeLessThan(bound);
      }
    },
    patience,
  );

  it(
    'is bounded for any body',
    async () => {
      const random = randomOf(seed);
      const rich = await api.account();
      const poor = await api.account(4, () => ({ c: 0, g: [] }));
      const kinds = [...Object.keys(hostilePieces), 'all kinds'];
      const paths = Object.entries(bodies);
      for (let round = atLength(60, 20_000); round > 0; round -= 1) {
        const [path, bodyOf] = paths[random(paths.length)] ?? paths[0]!;
        const kind = kinds[random(kinds.length)] ?? '';
        const bytes = Math.floor(mebibyte / 2 ** random(12));
        const { key } = random(2) ? rich : poor;
        const body = fitted(bodyOf, hostileText(kind, bytes, random), mebibyte, 1 + random(2000));
        const { status, ms, bound } = await timedTwice(path, key, body);
        expect(ms, `${path} of ${bytes} bytes of ${kind}: ${status} (SEED=${seed})`).toBeLessThan(bound);
      }
    },
    patience,
  );
});
