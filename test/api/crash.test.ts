import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { services } from '#runtime/container.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service.ts';

/** Where the running handler is killed: around one of its AWS calls. */
type Point =
  | 'before admit'
  | 'after admit'
  | 'before model'
  | 'after model'
  | 'before settle'
  | 'after settle'
  | 'never';
const points: Point[] = ['before admit', 'after admit', 'before model', 'after model', 'before settle', 'after settle'];

let service: TestService;
let victim: ChildProcess | undefined;
let point: Point = 'never';
let updates = 0;

let killed = false;

const killAt = (reached: Point): void => {
  if (reached === point) killed = victim?.kill('SIGKILL') ?? false;
};

/** A model server that tells when it is asked and when it has answered. */
const model = createServer((request, response) => {
  request.resume();
  killAt('before model');
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  const choices = [{ message: { content: 'ok' }, finish_reason: 'stop' }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(request.method === 'GET' ? { data: [{ id: 'm' }] } : { choices, usage }));
  response.on('finish', () => killAt('after model'));
});

beforeAll(async () => {
  await once(model.listen(0, '127.0.0.1'), 'listening');
  service = await startTestService({
    modelUrl: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    onDynamoRequest: (operation: string) => {
      if (operation === 'UpdateItem' && victim) killAt(updates === 0 ? 'before admit' : 'before settle');
    },
    onDynamoReply: (operation: string) => {
      if (operation !== 'UpdateItem' || !victim) return;
      killAt(updates === 0 ? 'after admit' : 'after settle');
      updates += 1;
    },
  });
});
afterAll(async () => {
  await service.close();
  model.close();
});

/** One chat call in a process that dies at the point; its answer, when it lived to give one. */
async function callAndDie(person: Person, at: Point): Promise<string> {
  await service.settled();
  const offset = services().clock.now() - Date.now();
  victim = spawn(process.execPath, ['test/support/run-handler.ts', 'create-chat-completion', String(offset)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  point = at;
  updates = 0;
  killed = false;
  victim.stdin?.end(JSON.stringify(eventOf(person)));
  const answer = await text(victim.stdout!);
  point = 'never';
  victim = undefined;
  return answer;
}

const eventOf = ({ key }: Person) => ({
  httpMethod: 'POST',
  path: '/v1/chat/completions',
  multiValueHeaders: { authorization: [`Bearer ${key}`], 'content-type': ['application/json'] },
  body: JSON.stringify(chat()),
  isBase64Encoded: false,
});

const meterOf = async (person: Person) => (await services().metering().find(person.id))!;

/** Puts the clock past every hold's deadline and waits for the sweep to have gone round. */
async function sweepUp(person: Person): Promise<void> {
  await service.post('/_local/clock', { advance: 'PT10M' });
  for (let tries = 0; tries < 100 && (await meterOf(person)).holds.size > 0; tries++) await sleep(50);
}

/** A settlement that was on its way when its sender died may arrive: then the call is charged, once. */
describe('a handler that is killed at any of its AWS calls', () => {
  it.each(points)('%s loses no credit once the sweep has gone round', { repeats: 1 }, async (at) => {
    const person = await service.person({ planRank: 2, credits: 10 });
    const answer = await callAndDie(person, at);
    expect([killed, answer]).toEqual([true, '']);
    await sweepUp(person);
    const { spendable, holds } = await meterOf(person);
    expect(holds.size).toBe(0);
    expect(at.endsWith('settle') ? [9_000_000, 10_000_000] : [10_000_000]).toContain(spendable);
  });

  it('is charged once when nothing kills it', async () => {
    const person = await service.person({ planRank: 2, credits: 10 });
    expect(await callAndDie(person, 'never')).toContain('SUCCESS');
    expect(await meterOf(person)).toMatchObject({ spendable: 9_000_000, holds: new Map() });
  });
});
