import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { atLength, patience, seed, times } from '#test/many.ts';
import { useModelServer } from '#test/models/model-server.ts';
import type { CallOptions } from '#test/service/api-request.ts';
import { auditFindings, type ApiResponse, chat, type Person, useTestService } from '#test/service/service.ts';

const model = useModelServer();
const service = useTestService(() => ({ modelUrl: model.url }));
afterEach(() => orderFault('none'));

const orderFault = (fault: string, about: object = {}) =>
  service.post('/_local/faults', { target: 'dynamodb', fault, ...about });
const thirtyPercent = () => orderFault('conflict', { count: 10_000, rate: 0.3 });
const meterOf = async ({ id }: Person) => (await services().metering().find(id))!;

/** Costs that running streams have recorded, in microcredits. */
async function recordedCosts(): Promise<unknown[]> {
  const rows = await rowsOf('meters');
  return rows.filter(({ a, x }) => Number(a) < 0 && x === undefined).map(({ c }) => c);
}

async function ledgerOf({ id }: Person) {
  await service.settled();
  const rows = (await rowsOf('ledger')).filter(({ a, seq }) => a === id && seq !== undefined);
  return rows.toSorted((one, other) => Number(one['seq']) - Number(other['seq']));
}

/** Streams a chat to its end. */
async function stream(key: string): Promise<string> {
  const response = await service.open('/v1/chat/completions', key, { ...chat(), stream: true });
  return `${response.status} ${await response.text()}`;
}

/** A random action. The number selects the key or the variant. */
type Step = (person: Person, which: number) => Promise<ApiResponse | string>;

const byKey = (path: string, body: unknown, more: CallOptions = {}): Step => {
  return ({ key }) => service.call('POST', path, { key, body, ...more });
};
const subscription = (method: string, path: string, body: unknown): Step => {
  return ({ cookie }) => service.call(method, `/api/subscription${path}`, { cookie, body });
};
const cancellation = (verb: string): Step => {
  return async ({ cookie }) => {
    const { data } = (await service.call('GET', '/api/subscription', { cookie })).body;
    return service.call('PATCH', `/api/subscription/${data?.id ?? 'none'}/${verb}`, { cookie });
  };
};
const keyChange = (change: (keyId: string) => [method: string, path: string, body?: unknown]): Step => {
  return async ({ cookie, keyId }, which) => {
    const { data } = (await service.call('GET', '/api/keys', { cookie })).body;
    const others = data.filter((one: { id: string }) => one.id !== keyId).toReversed();
    const [method, path, body] = change(others[which % Math.max(1, others.length)]?.id ?? 'none');
    return service.call(method, `/api/keys${path}`, { cookie, body });
  };
};

const steps: readonly Step[] = [
  byKey('/v1/chat/completions', chat()),
  byKey('/v1/chat/completions', chat(), { headers: { 'idempotency-key': 'one' } }),
  byKey('/v1/completions', { model: 'svc-instruct', prompt: 'Once upon', max_tokens: 8 }),
  byKey('/api/ai/analyze', { text: 'Ada likes a river.', analyses: ['sentiment', 'entities'] }),
  byKey('/api/ai/translate', { text: 'A river.', sourceLanguage: 'en', targetLanguage: 'de' }),
  ({ key }) => stream(key),
  keyChange(() => ['POST', '', { name: 'another' }]),
  keyChange((id) => ['PATCH', `/${id}`, { status: 'suspended' }]),
  keyChange((id) => ['POST', `/${id}/rotate`, { graceSeconds: 60 }]),
  keyChange((id) => ['DELETE', `/${id}`]),
  subscription('POST', '/create', { planId: 'dev_pass', billingCycle: 'monthly' }),
  subscription('PUT', '/downgrade-plan', { newPlanId: 'dev_pass' }),
  cancellation('cancel'),
  cancellation('resume'),
];

const nameless = (text: string): string => text.replaceAll(/"(?:id|created)":"?[\w-]+"?/g, '');

/** The visible result of a step, without names and times. */
function summaryOf(result: ApiResponse | string): string {
  if (typeof result === 'string') return nameless(result);
  const { status, body, headers } = result;
  return `${status} ${body.message} ${body.detail ?? ''} charged ${headers.get('x-credits-charged')}`;
}

async function walked(seed: number, prepare: () => Promise<unknown>) {
  let state = seed;
  const draw = (below: number) => ((state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 8) % below;
  const person = await service.person({ planRank: 3 });
  model.reset();
  await service.settled();
  await prepare();
  const responses: string[] = [];
  for (let step = 0; step < atLength(12, 400); step++)
    responses.push(summaryOf(await steps[draw(steps.length)]!(person, draw(8))));
  await orderFault('none');
  const { spendable, used, keys, holds, lots, seq } = await meterOf(person);
  const rows = await ledgerOf(person);
  return {
    responses,
    meter: { spendable, used, seq, keys: keys.size, holds: holds.size, lots: lots.map(({ remaining }) => remaining) },
    ledger: rows.map(({ type, amount, service: chargedAs, model: name }) => ({ type, amount, chargedAs, name })),
  };
}

describe('a transaction conflict on 30% of all writes', () => {
  it(
    `leaves responses, balance and ledger of a random walk unchanged (SEED=${seed})`,
    async () => {
      const undisturbed = await walked(seed, async () => undefined);
      expect(await walked(seed, thirtyPercent)).toEqual(undisturbed);
      expect(undisturbed.meter.holds).toBe(0);
    },
    patience,
  );

  const [lanes, perLane] = [20, atLength(3, 10)];
  const streams = lanes * perLane;

  const faults = [
    ['with conflicts', 'conflict'],
    ['without conflicts', 'none'],
  ] as const;
  it.each(faults.slice(0, atLength(1, 2)))(
    'does not prevent the charge of a stream whose key is rotated (%s)',
    async (_, fault) => {
      const person = await service.person({ planRank: 5 });
      const { spendable } = await meterOf(person);
      model.state.delayMs = 500;
      if (fault === 'conflict') await thirtyPercent();
      let [key, keyId, rotations] = [person.key, person.keyId, 0];
      const over = new AbortController();
      async function rotate(): Promise<void> {
        while (rotations < 10 || (rotations < 40 && !over.signal.aborted)) {
          const path = `/api/keys/${keyId}/rotate`;
          const { body } = await service.call('POST', path, { cookie: person.cookie, body: { graceSeconds: 3600 } });
          [key, keyId] = [body.data.key, body.data.id];
          rotations += 1;
        }
      }
      const rotating = rotate();
      const responses: string[] = [];
      const lane = async (): Promise<void> => {
        for (let made = 0; made < perLane; made++) responses.push(await stream(key));
      };
      await Promise.all(times(lanes, lane));
      expect(responses).toHaveLength(streams);
      over.abort();
      await rotating;
      await orderFault('none');
      expect(responses.filter((text) => !/^200 .*STREAM_COMPLETE/s.test(text))).toEqual([]);
      const after = await meterOf(person);
      expect([after.holds.size, spendable - after.spendable, after.used]).toEqual([
        0,
        streams * 1_000_000,
        { chat: streams * 1_000_000 },
      ]);
      const charges = (await ledgerOf(person)).filter(({ type }) => type === 'charge');
      expect(charges.map(({ amount }) => amount)).toEqual(times(streams, () => -1_000_000));
      expect(new Set(charges.map(({ requestId }) => requestId)).size).toBe(streams);
    },
    patience,
  );
});

it(
  'a transaction conflict is retried by a settlement until its function ends, longer than by any other write',
  async () => {
    const person = await service.person({ planRank: 2 });
    const { spendable } = await meterOf(person);
    await service.settled();
    model.state.delayMs = 60_000;
    const response = stream(person.key);
    await expect.poll(() => model.state.streams).toBe(1);
    await orderFault('conflict', { count: 10_000 });
    model.finish();
    await sleep(4000);
    expect((await meterOf(person)).holds.size).toBe(1);
    await orderFault('none');
    expect(await response).toContain('STREAM_COMPLETE');
    const after = await meterOf(person);
    expect([after.holds.size, spendable - after.spendable]).toEqual([0, 1_000_000]);
  },
  patience,
);

describe('a settlement that fails permanently', () => {
  /** Runs a stream whose settlement is refused, before or after its checkpoint. Returns its charge after the sweep. */
  async function spentOf(hasCheckpoint: boolean): Promise<number> {
    const person = await service.person({ planRank: 2 });
    const before = (await meterOf(person)).spendable;
    await service.settled();
    model.state.delayMs = 60_000;
    const response = stream(person.key);
    await expect.poll(() => model.state.streams).toBe(1);
    if (hasCheckpoint) await expect.poll(recordedCosts).toEqual([1_000_000]);
    await orderFault('unavailable', { count: 10_000 });
    model.finish();
    expect(await response).toContain('STREAM_COMPLETE');
    await orderFault('none');
    expect((await meterOf(person)).holds.size).toBe(1);
    await service.post('/_local/clock', { advance: 'PT10M' });
    const { spendable, holds } = await meterOf(person);
    expect(holds.size).toBe(0);
    expect(await auditFindings(service)).toEqual([]);
    return before - spendable;
  }

  it('is repaired by the sweep from the checkpoint of a long stream, and costs nothing for a short one', async () => {
    expect(await spentOf(true)).toBe(1_000_000);
    expect(await spentOf(false)).toBe(0);
  });
});
