import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { routes } from '#contract/routes.ts';
import { services } from '#runtime/services/container.ts';
import { useModelServer } from '#test/models/model-server.ts';
import { mailsSent } from '#test/requests/accounts/inbox.ts';
import { type ApiResponse, chat, type Person, useTestService } from '#test/service/service.ts';

const { path, timeoutSeconds } = routes.createChatCompletion;

/** Lifetime of an abandoned claim or hold. */
const expirySeconds = timeoutSeconds + 60;

/** The operations that a request sends to DynamoDB, in this order. */
const operations = ['the proof', 'the claim', 'the admission', 'the record', 'the settlement'] as const;
type Operation = (typeof operations)[number];

/** Runs before the operation reaches DynamoDB. If it rejects, the operation is dropped. */
let interference: { at: Operation; act: () => Promise<unknown> } | undefined;
let sent = 0;

const model = useModelServer();
const service = useTestService(() => ({
  modelUrl: model.url,
  onDynamoRequest: async (name) => {
    const operation = name.endsWith('Item') ? operations[sent++] : undefined;
    if (interference && interference.at === operation) await interference.act();
  },
}));

/** Waits for background work first, so that only the request itself calls DynamoDB until its response. */
async function interfere(at: Operation, act: () => Promise<unknown>): Promise<void> {
  await service.settled();
  sent = 0;
  interference = { at, act };
}

const send = (key: string, idempotencyKey = 'k'): Promise<ApiResponse> =>
  service.call('POST', path, { key, body: chat(), headers: { 'idempotency-key': idempotencyKey } });
const summaryOf = ({ status, body, headers }: ApiResponse) =>
  `${headers.has('idempotent-replayed') ? 'again ' : ''}${status} ${body.message}`;
/** Waits for the email about the key. */
async function customer(): Promise<Person> {
  const person = await service.person({ planRank: 2, credits: 10 });
  await mailsSent(service);
  return person;
}
const advance = (seconds: number) => service.post('/_local/clock', { advance: `PT${seconds}S` });

/** Number of model runs, charged credits (out of ten), and open calls. */
async function spent({ id }: Person) {
  const { spendable, holds } = (await services().metering().find(id))!;
  return { runs: model.state.runs, charged: 10 - spendable / 1_000_000, open: holds.size };
}

describe('an idempotent request during a fault of DynamoDB', () => {
  const orderFault = (fault: string, count = 1) => service.post('/_local/faults', { target: 'dynamodb', fault, count });
  const once = ['lost-reply', 'throttle', 'unavailable', 'conflict'].flatMap((fault) =>
    operations.map((at) => [at, fault] as const),
  );

  it.each(once)('runs once and is replayed after a fault in %s: %s', async (at, fault) => {
    const person = await customer();
    await interfere(at, () => orderFault(fault));
    const first = await send(person.key);
    interference = undefined;
    const second = await send(person.key);
    expect([summaryOf(first), summaryOf(second)]).toEqual(['200 SUCCESS', 'again 200 SUCCESS']);
    expect(second.body).toEqual(first.body);
    expect(await spent(person)).toEqual({ runs: 1, charged: 1, open: 0 });
  });

  it.each(['lost-reply', 'unavailable'])(
    'runs when it is repeated after a 503 if every attempt of the claim fails: %s',
    async (fault) => {
      const person = await customer();
      await interfere('the claim', () => orderFault(fault, 3));
      expect(summaryOf(await send(person.key))).toBe('503 SERVICE_UNAVAILABLE');
      expect(summaryOf(await send(person.key))).toBe('200 SUCCESS');
      expect(await spent(person)).toEqual({ runs: 1, charged: 1, open: 0 });
    },
  );

  it('returns an uncharged 503 if its response cannot be stored, and runs again when repeated', async () => {
    const person = await customer();
    await interfere('the record', () => orderFault('unavailable', 3));
    expect(summaryOf(await send(person.key))).toBe('503 SERVICE_UNAVAILABLE');
    expect(await spent(person)).toEqual({ runs: 1, charged: 0, open: 0 });
    expect(summaryOf(await send(person.key))).toBe('200 SUCCESS');
    expect(await spent(person)).toEqual({ runs: 2, charged: 1, open: 0 });
  });

  it('ends a stream before its first byte if its record cannot be stored', async () => {
    const person = await customer();
    model.state.delayMs = 10_000;
    await interfere('the record', () => orderFault('unavailable', 3));
    const body = { ...chat(), stream: true };
    const headers = { 'idempotency-key': 'k' };
    expect(summaryOf(await service.call('POST', path, { key: person.key, body, headers }))).toBe(
      '503 SERVICE_UNAVAILABLE',
    );
    await expect.poll(() => model.state.streams).toBe(0);
    expect(await spent(person)).toEqual({ runs: 1, charged: 0, open: 0 });
  });

  it('returns 503, then the stored response, if every attempt to store it loses the reply', async () => {
    const person = await customer();
    await interfere('the record', () => orderFault('lost-reply', 3));
    expect(summaryOf(await send(person.key))).toBe('503 SERVICE_UNAVAILABLE');
    expect(summaryOf(await send(person.key))).toBe('again 200 SUCCESS');
    expect(await spent(person)).toEqual({ runs: 1, charged: 0, open: 0 });
  });
});

describe('a handler that is killed', () => {
  /** Sends the request to a process that is killed before the operation reaches DynamoDB. */
  async function sendAndDie({ key }: Person, at: Operation): Promise<void> {
    const offset = services().clock.now() - Date.now();
    const victim = spawn(
      process.execPath,
      ['test/support/service/run-handler.ts', 'create-chat-completion', String(offset)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    await interfere(at, () => end(victim));
    const headers = {
      authorization: [`Bearer ${key}`],
      'content-type': ['application/json'],
      'idempotency-key': ['k'],
    };
    const requestContext = { identity: { sourceIp: '127.0.0.1' } };
    const event = {
      httpMethod: 'POST',
      path,
      requestContext,
      multiValueHeaders: headers,
      body: JSON.stringify(chat()),
    };
    victim.stdin.end(JSON.stringify(event));
    expect(await text(victim.stdout)).toBe('');
    interference = undefined;
  }

  async function end(victim: ChildProcess): Promise<never> {
    const gone = once(victim, 'exit');
    victim.kill('SIGKILL');
    await gone;
    throw new Error('what a dead process requested is dropped');
  }

  it('before the claim stores nothing', async () => {
    const person = await customer();
    await sendAndDie(person, 'the claim');
    expect(summaryOf(await send(person.key))).toBe('200 SUCCESS');
    expect(await spent(person)).toEqual({ runs: 1, charged: 1, open: 0 });
  });

  it.each(['the admission', 'the record'] as const)(
    'before %s keeps a lock that expires with the hold, and the repeat runs and is charged once',
    async (at) => {
      const person = await customer();
      await sendAndDie(person, at);
      const { runs } = model.state;
      expect(runs).toBe(at === 'the record' ? 1 : 0);
      expect(summaryOf(await send(person.key))).toBe('409 REQUEST_IN_PROGRESS');
      await advance(expirySeconds - 30);
      expect(summaryOf(await send(person.key))).toBe('409 REQUEST_IN_PROGRESS');
      await advance(32);
      expect([summaryOf(await send(person.key)), summaryOf(await send(person.key))]).toEqual([
        '200 SUCCESS',
        'again 200 SUCCESS',
      ]);
      expect(await spent(person)).toEqual({ runs: runs + 1, charged: 1, open: 0 });
    },
  );

  it('before the settlement has stored its response, and never charges twice', async () => {
    const person = await customer();
    await sendAndDie(person, 'the settlement');
    expect(summaryOf(await send(person.key))).toBe('again 200 SUCCESS');
    await advance(expirySeconds + 2);
    expect(summaryOf(await send(person.key, 'another'))).toBe('200 SUCCESS');
    expect(await spent(person)).toEqual({ runs: 2, charged: 1, open: 0 });
  });
});
