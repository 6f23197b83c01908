import { expect, it } from 'vitest';
import { sweepDocuments } from '#jobs/agents.ts';
import { indexingPartition, indexPartition } from '#repositories/agents/agent-items.ts';
import { services } from '#runtime/services/container.ts';
import { agentOwner, type Owner } from '#test/agents/owner.ts';
import { rowsOf } from '#test/database/rows.ts';
import { patience, seed, someOf } from '#test/many.ts';
import { useTestService } from '#test/service/service.ts';
import { sendToVictim } from '#test/service/victim.ts';

const sweep = sweepDocuments();
const service = useTestService();

const text = 'Bicycles are free for guests; keys are at the desk.';

async function begin() {
  const owner = await agentOwner(service);
  await owner.addDocument({ name: 'Handbook', text });
  return { owner, conversation: await owner.conversation() };
}

type Begun = Awaited<ReturnType<typeof begin>>;

const spendable = async ({ owner: { id } }: Pick<Begun, 'owner'>): Promise<number> => {
  const { spendable, holds } = await services().metering().current(id, services().clock.now());
  expect(holds.size).toBe(0);
  return spendable;
};

const request = ({ owner: { key }, conversation: { path } }: Begun, stream: boolean) => {
  return { method: 'POST', path: `${path}/messages`, key, body: { content: 'Are there bicycles?', stream } };
};

it.each([
  ['as a whole', false],
  ['streamed', true],
])(
  `a turn %s that crashes at any AWS call costs at most its stored output, and unlocks its conversation (SEED=${seed})`,
  { timeout: 4 * patience },
  async (_, stream) => {
    const whole = await begin();
    const { steps } = await sendToVictim(request(whole, stream));
    const chunks = steps.filter((step) => step.includes('chunk'));
    // Documents and vectors are read concurrently, so the order of their responses varies.
    const isOneOfTwo = (step: string) => /^Query [23] returned$/.test(step);
    const killable = steps.filter((step) => (!step.includes('chunk') || step === chunks[1]) && !isOneOfTwo(step));
    expect(killable.filter((step) => step.startsWith('TransactWriteItems'))).toHaveLength(2);
    const settled = killable.at(-1);
    const people = [];
    for (const step of someOf(killable, 2, seed)) people.push({ step, begun: await begin() });
    await service.settled();
    const killed = [];
    for (const { step, begun } of people) {
      const before = await spendable(begun);
      const { died } = await sendToVictim(request(begun, stream), step);
      expect([step, died]).toEqual([step, true]);
      killed.push({ step, begun, before });
    }
    await service.post('/_local/clock', { advance: 'PT10M' });
    for (const { step, begun, before } of killed) {
      const { status, messageCount } = await begun.conversation.get();
      const spent = before - (await spendable(begun));
      expect([step, status, [0, 2].includes(messageCount)]).toEqual([step, 'idle', true]);
      // A crash between storing and charging may leave a turn stored but uncharged, never charged but not stored.
      expect([step, spent]).toEqual([step, step === settled ? 1_000_000 : 0]);
      if (spent > 0) expect([step, messageCount]).toEqual([step, 2]);
      const next = await begun.conversation.write('And now?');
      expect([step, next.status]).toEqual([step, 200]);
    }
  },
);

const indexRows = async ({ agent }: Owner) =>
  (await rowsOf('agents')).filter(
    ({ pk, agentId }) => pk === indexPartition(agent.id) || (pk === indexingPartition && agentId === agent.id),
  );

it(
  `a document whose request crashes at any step is indexed, or stores and costs nothing (SEED=${seed})`,
  { timeout: 4 * patience },
  async () => {
    const addTo = ({ path, key }: Owner) => {
      return { method: 'POST', path: `${path}/documents`, key, body: { name: 'Handbook', text } };
    };
    const whole = await agentOwner(service);
    const { steps } = await sendToVictim(addTo(whole));
    expect(steps.filter((step) => step.startsWith('TransactWriteItems'))).toHaveLength(4);
    const crashed = [];
    for (const step of someOf(steps, 3, seed)) {
      const owner = await agentOwner(service);
      const before = await spendable({ owner });
      const { died } = await sendToVictim(addTo(owner), step);
      expect([step, died]).toEqual([step, true]);
      crashed.push({ step, owner, before });
    }
    await service.post('/_local/clock', { advance: 'PT2H' });
    await sweep();
    for (const { step, owner, before } of crashed) {
      const [document] = await owner.documents();
      const agent = (await owner.call('GET', owner.path)).body.data;
      const cost = before - (await spendable({ owner }));
      if (document?.status === 'ready')
        expect([step, cost, agent.chunks]).toEqual([step, document.credits * 1_000_000, 1]);
      else {
        expect([step, document?.status ?? 'failed', cost, agent.chunks]).toEqual([step, 'failed', 0, 0]);
        expect([step, await indexRows(owner)]).toEqual([step, []]);
      }
    }
  },
);
