import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { atLength, patience, seed, someOf } from '#test/many.ts';
import { auditFindings, chat, type Person, useTestService } from '#test/service/service.ts';
import { sendToVictim, type VictimRequest } from '#test/service/victim.ts';

const service = useTestService(() => ({ wordDelayMs: 2 }));

const translation = { text: 'A quiet river bank.', sourceLanguage: 'en', targetLanguage: 'de' };
const completion = { model: 'svc-instruct', prompt: 'Once upon a time', max_tokens: 12 };
const stream = { stream: true };

/** Every way to spend credits: the request, and the step at which `npm test` kills the process. */
const ways: [way: string, path: string, body: object, step: string][] = [
  ['a chat stream', '/v1/chat/completions', { ...chat(), ...stream }, 'model chunk 1'],
  ['completion', '/v1/completions', completion, 'model returned'],
  ['a completion stream', '/v1/completions', { ...completion, ...stream }, 'UpdateItem 2 sent'],
  ['embeddings', '/v1/embeddings', { model: 'svc-embed', input: ['a bank'] }, 'UpdateItem 1 returned'],
  ['analysis', '/api/ai/analyze', { text: 'A quiet river bank.', analyses: ['pii'] }, 'model returned'],
  ['translation', '/api/ai/translate', translation, 'UpdateItem 2 sent'],
];

const newPerson = () => service.person({ planRank: 2 });
const granted = 5_100_000_000;

/** Credits that a person has spent once all holds are released. */
async function spentBy({ id }: Person): Promise<number> {
  const { spendable, holds } = await services().metering().current(id, services().clock.now());
  expect(holds.size).toBe(0);
  return granted - spendable;
}

/** Every step. Of many chunks, only the first, the middle and the last. */
function killable(steps: readonly string[]): string[] {
  const chunks = steps.filter((step) => step.includes('chunk'));
  const some = new Set([chunks[0], chunks[Math.floor(chunks.length / 2)], chunks.at(-1)]);
  return steps.filter((step) => !chunks.includes(step) || some.has(step));
}

/** Kills at each step with a new account each time; returns the credits that each spent after the sweep. */
async function spentByTheKilled(
  path: string,
  body: object,
  steps: readonly string[],
  disturb?: () => Promise<unknown>,
) {
  const people: [step: string, person: Person][] = [];
  for (const step of steps) people.push([step, await newPerson()]);
  await disturb?.();
  const killed: { step: string; died: boolean; person: Person }[] = [];
  for (const [step, person] of people) {
    const { died } = await sendToVictim({ method: 'POST', path, key: person.key, body }, step);
    killed.push({ step, died, person });
  }
  await service.post('/_local/clock', { advance: 'PT10M' });
  const spent: [step: string, died: boolean, spent: number][] = [];
  for (const { step, died, person } of killed) spent.push([step, died, await spentBy(person)]);
  return spent;
}

/** Expects no charge, except in a process killed after the settlement, which is the last step. Chunks may be merged. */
function expectNothingLost(spent: Awaited<ReturnType<typeof spentByTheKilled>>, cost: number, settled?: string): void {
  expect(spent.length).toBeGreaterThan(0);
  for (const [step, died, amount] of spent) {
    expect([step, died || step.includes('chunk')]).toEqual([step, true]);
    expect([step, amount]).toEqual([step, died && step !== settled ? 0 : cost]);
  }
}

/** Cost and steps of an uninterrupted call. */
async function wholeCall(path: string, body: object) {
  const person = await newPerson();
  const { died, response, steps } = await sendToVictim({ method: 'POST', path, key: person.key, body });
  expect([died, response]).toEqual([false, expect.stringMatching(/SUCCESS|STREAM_COMPLETE/)]);
  const cost = await spentBy(person);
  expect(cost).toBeGreaterThan(0);
  return { cost, steps: killable(steps) };
}

describe('a process killed during a call', () => {
  it(
    `loses no credit of a chat, whichever AWS call it is killed at, once the sweep has run (SEED=${seed})`,
    { timeout: patience },
    async () => {
      const { cost, steps: all } = await wholeCall('/v1/chat/completions', chat());
      const steps = all.filter((step) => !step.includes('chunk'));
      expect(steps).toHaveLength(6);
      const some = someOf(steps, 3, seed);
      expectNothingLost(await spentByTheKilled('/v1/chat/completions', chat(), some), cost, steps.at(-1));
    },
  );

  it.each(ways)('%s, loses no credit once the sweep has run', { timeout: patience }, async (_, path, body, step) => {
    const { cost, steps } = atLength(false, true) ? await wholeCall(path, body) : { cost: 0, steps: [step] };
    for (let round = 0; round < atLength(1, 3); round++)
      expectNothingLost(await spentByTheKilled(path, body, steps), cost, steps.at(-1));
  });
});

describe('a process killed while 30% of all writes conflict', () => {
  const steps = ['UpdateItem 1 returned', 'UpdateItem 2 sent', 'UpdateItem 2 returned', 'UpdateItem 3 returned'];

  it('charges its call at most once, and loses no credit once the sweep has run', { timeout: patience }, async () => {
    const { cost } = await wholeCall('/v1/chat/completions', chat());
    await service.settled();
    const conflicts = { target: 'dynamodb', fault: 'conflict', count: 10_000, rate: 0.3 };
    const spent = await spentByTheKilled(
      '/v1/chat/completions',
      chat(),
      atLength(someOf(steps, 2, seed), [...steps, ...steps, ...steps]),
      () => service.post('/_local/faults', conflicts),
    );
    await service.post('/_local/faults', { target: 'dynamodb', fault: 'none' });
    for (const [step, died, amount] of spent)
      expect([step, died, amount]).toEqual([step, died, died ? expect.toBeOneOf([0, cost]) : cost]);
  });
});

describe('a process killed during a plan change', () => {
  const subscription = { planId: 'dev_pass', billingCycle: 'monthly' };
  const headers = { 'idempotency-key': 'once' };
  const changes: [what: string, before: boolean, request: Omit<VictimRequest, 'key'>, credits: number][] = [
    ['a subscription', false, { method: 'POST', path: '/api/subscription/create', body: subscription, headers }, 5100],
    [
      'an upgrade',
      true,
      { method: 'PUT', path: '/api/subscription/upgrade-plan', body: { newPlanId: 'smm_pass' }, headers },
      25_100,
    ],
  ];

  it.each(changes)(
    '%s, makes the change at most once, and exactly once after a repeat',
    { timeout: patience },
    async (_, isSubscribed, request, credits) => {
      async function killedAt(step?: string) {
        const { key } = await service.person();
        if (isSubscribed) await service.call('POST', '/api/subscription/create', { key, body: subscription });
        return { key, ...(await sendToVictim({ ...request, key }, step)) };
      }
      const steps = atLength(false, true) ? (await killedAt()).steps : ['UpdateItem 1 returned'];
      for (const step of steps) {
        const { died, key } = await killedAt(step);
        await service.post('/_local/clock', { advance: 'PT2M' });
        const { status } = await service.call(request.method, request.path, { ...request, key });
        const { balance } = (await service.call('GET', '/api/credits', { key })).body.data;
        expect([step, died, [200, 409].includes(status)]).toEqual([step, true, true]);
        // An upgrade made by the repeat is prorated by two minutes, a fraction of a credit.
        expect(credits - balance).toBeOneOf([0, 1]);
      }
    },
  );
});

it('the ledger adds up to every balance after the processes are killed', async () => {
  expect(await auditFindings(service)).toEqual([]);
});
