import { randomBytes, randomInt } from 'node:crypto';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueCredential } from '#domain/shared/credential.ts';
import { listen, type Loopback } from '#local/shared/loopback.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { atLength } from '#test/many.ts';
import { residentMegabytes } from '#test/process-usage.ts';
import { killCommands, type LocalCommand, runLocal } from '#test/service/local-command.ts';

const megabyte = 'x'.repeat(2 ** 20);
const whole = (usage: object) => ({
  choices: [{ text: 'ok', message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage,
});
const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ text: content, delta: { content } }] })}\n\n`;

type Behaviour = (response: ServerResponse) => unknown;

/** Misbehavior of a model, by the keyword in its prompt. */
const behaviours = {
  'endless-body': (response) => endless(response.writeHead(200, { 'content-type': 'application/json' }), megabyte),
  'endless-stream': (response) => endless(stream(response), piece('word '.repeat(50))),
  'endless-line': (response) => endless(stream(response), megabyte),
  'comments-only': (response) => endless(stream(response), ': still here\n\n'.repeat(1000)),
  'done-only': (response) => stream(response).end('data: [DONE]\n\n'),
  redirect: (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
  'impossible-usage': (response) => json(response, whole({ prompt_tokens: 9e15, completion_tokens: 9e15 })),
  'no-choices': (response) => json(response, { choices: [] }),
} satisfies Record<string, Behaviour>;

type HostileBehaviour = keyof typeof behaviours;
const hostileBehaviours = Object.keys(behaviours) as HostileBehaviour[];

/** An OpenAI-compatible server that responds well unless a prompt names one of the behaviors. */
function startHostileModel(): Promise<Loopback> {
  return listen((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const prompt = await text(request);
  if (request.method === 'GET') return json(response, { data: [{ id: 'hostile' }] });
  const chosen = hostileBehaviours.find((name) => prompt.includes(name));
  if (chosen) return behaviours[chosen](response);
  if (prompt.includes('"stream":true')) {
    return stream(response).end(`${piece('ok')}data: {"choices":[{"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`);
  }
  return json(response, whole({ prompt_tokens: 1, completion_tokens: 1 }));
}

const json = (response: ServerResponse, body: object) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

/** Writes as fast as the client reads, until the client disconnects. */
function endless(response: ServerResponse, part: string): Promise<void> {
  return pipeline(Readable.from(forever(part)), response);
}

function* forever<T>(value: T): Generator<T> {
  for (;;) yield value;
}

/** A service to attack, and the key of one of its customers. The attacker knows only the account in the key. */
interface Target {
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
const attackers: readonly Attacker[] = [
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

/** The time from one attacker's first request to the next attacker's. */
const arrivalMs = 300;

/** Runs all attacks concurrently for the given minutes. `npm run test:long` runs them for an hour. */
const minutes = Number(process.env['ATTACK_MINUTES'] ?? atLength(0, 60));

let folder: string;
let model: Loopback;
let service: LocalCommand;
let target: Target;

beforeAll(async () => {
  if (minutes === 0) return;
  [folder, model] = await Promise.all([testFolder(), startHostileModel()]);
  service = runLocal(['--port', '0', '--data', folder, '--model-url', `${model.url}/v1`]);
  const origin = await service.ready;
  const status = (await (await fetch(`${origin}/_local/status`)).json()) as { demo: { apiKey: string } };
  target = { origin, key: status.demo.apiKey };
});
afterAll(async () => {
  await killCommands();
  await model?.close();
  if (folder) await removeFolder(folder);
});

/** A customer's call of a well-behaved model, with its duration in milliseconds. */
async function customerCall(): Promise<number> {
  const began = performance.now();
  const response = await fetch(`${target.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] }),
    signal: AbortSignal.timeout(10_000),
  });
  expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ message: 'SUCCESS' })]);
  return performance.now() - began;
}

describe.runIf(minutes > 0)('an hour of all attacks', () => {
  it(
    'leaves the service responding to customers within a second, in less than 500 MB',
    {
      timeout: (minutes + 5) * 60_000,
    },
    async () => {
      const end = performance.now() + minutes * 60_000;
      const isOver = () => performance.now() >= end;
      const attacks = Promise.all(
        attackers.map(async (attack, index) => {
          await sleep(index * arrivalMs);
          return { name: attack.name, ...(await repeated(attack, isOver)) };
        }),
      );
      const waits: number[] = [];
      let peakMegabytes = 0;
      while (!isOver()) {
        waits.push(await customerCall());
        peakMegabytes = Math.max(peakMegabytes, await residentMegabytes(service.pid));
        await sleep(500);
      }
      const made = await attacks;
      waits.sort((one, other) => one - other);
      const at = (share: number) => Math.round(waits[Math.floor((waits.length - 1) * share)] ?? 0);
      console.table({
        calls: waits.length,
        p50: at(0.5),
        p99: at(0.99),
        slowest: at(1),
        peakMegabytes: Math.round(peakMegabytes),
      });
      console.table(made);
      expect(made.filter(({ rounds, serverErrors }) => rounds === 0 || serverErrors > 0)).toEqual([]);
      expect(at(1)).toBeLessThan(1000);
      expect(peakMegabytes).toBeLessThan(500);
    },
  );
});

/** The rounds of one attacker in sequence: at most one per second. */
async function repeated(attack: (target: Target, round: number) => Promise<number>, isOver: () => boolean) {
  let [rounds, serverErrors] = [0, 0];
  for (; !isOver(); await sleep(1000)) {
    const status = await attack(target, rounds).catch(() => 0);
    rounds += 1;
    if (status === 500) serverErrors += 1;
  }
  return { rounds, serverErrors };
}
