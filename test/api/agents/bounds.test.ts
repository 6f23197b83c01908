import { describe, expect, it } from 'vitest';
import { limits } from '#contract/shared/limits.ts';
import { agentCountKey, agentKey, stateKey, entryRow } from '#repositories/agents/agent-items.ts';
import { agentOwner, type Owner } from '#test/agents/owner.ts';
import { rowsOf, setInRow, putRows } from '#test/database/rows.ts';
import { patience, times } from '#test/many.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService();

const items = async (): Promise<number> => (await rowsOf('agents')).length;

/** A text of `chunks` chunks: no two of its sentences fit into one chunk. */
const textOf = (chunks: number): string => `${'Word '.repeat(110)}end. `.repeat(chunks);

describe('limits of agents', () => {
  it(
    'an agent stores 2,000 chunks, and refuses further ones without a charge until some are deleted',
    { timeout: 4 * patience },
    async () => {
      const owner = await agentOwner(service);
      const path = `${owner.path}/documents`;
      const add = (name: string, chunks: number) => owner.call('POST', path, { name, text: textOf(chunks) });
      const [first, second] = [await add('First', 1200), await add('Second', 800)];
      expect([code(first), code(second)]).toEqual(['201 SUCCESS', '201 SUCCESS']);
      expect(first.body.data).toMatchObject({ status: 'indexing', chunks: 1200, indexedChunks: 0 });
      for (const [{ body }, chunks] of [[first, 1200] as const, [second, 800] as const])
        expect(await owner.indexed(body.data.id)).toMatchObject({ status: 'ready', chunks, indexedChunks: chunks });
      expect((await owner.call('GET', owner.path)).body.data.chunks).toBe(limits.agentChunks);
      await service.settled();

      const [credits, before] = [await owner.credits(), await items()];
      const refused = await add('One more', 1);
      expect([code(refused), refused.body.detail]).toEqual([
        '409 INVALID_STATE',
        'An agent can have at most 2000 chunks. This one has 2000, and the document needs at least 1. Delete a document first.',
      ]);
      await service.settled();
      expect([await owner.credits(), await items()]).toEqual([credits, before]);
      expect((await owner.call('GET', path)).body.data.items.map(({ name }: any) => name)).toEqual(['Second', 'First']);

      const conversation = await owner.conversation();
      expect((await conversation.write('word word')).body.data.sources).toHaveLength(4);
      expect(code(await owner.call('DELETE', `${path}/${second.body.data.id}`))).toBe('200 SUCCESS');
      expect(code(await add('One more', 1))).toBe('201 SUCCESS');
    },
  );

  it(
    'an agent accepts as many of several concurrent documents as fit its limit',
    { timeout: 2 * patience },
    async () => {
      const owner = await agentOwner(service);
      const path = `${owner.path}/documents`;
      const text = textOf(450);
      const made = await Promise.all(times(6, (at) => owner.call('POST', path, { name: `Part ${at}`, text })));
      expect(made.map(code).toSorted()).toEqual([
        ...Array(4).fill('201 SUCCESS'),
        ...Array(2).fill('409 INVALID_STATE'),
      ]);
      expect((await owner.call('GET', owner.path)).body.data.chunks).toBe(1800);
      expect((await owner.call('GET', path)).body.data.items).toHaveLength(4);
    },
  );
});

it('an account has at most 100 agents, and can create another after a deletion', async () => {
  const owner = await agentOwner(service);
  const add = () => owner.call('POST', '/api/agents', { name: 'Guide', model: 'svc-1' });
  await setInRow('agents', agentCountKey(owner.id), 'agents', limits.agents - 1);
  expect(code(await add())).toBe('201 SUCCESS');
  const refused = await add();
  expect([code(refused), refused.body.detail]).toEqual([
    '409 INVALID_STATE',
    'An account can have at most 100 agents. Delete one first.',
  ]);
  expect(code(await owner.call('DELETE', owner.path))).toBe('200 SUCCESS');
  expect(code(await add())).toBe('201 SUCCESS');
});

it('a conversation has at most 10,000 messages, and refuses the next without a charge', async () => {
  const owner = await agentOwner(service);
  const conversation = await owner.conversation();
  await setInRow('agents', stateKey(conversation.id), 'next', limits.conversationMessages - 2);
  expect(code(await conversation.write('The last one'))).toBe('200 SUCCESS');
  await service.settled();
  const credits = await owner.credits();
  const refused = await conversation.write('One more');
  expect([code(refused), refused.body.detail]).toEqual([
    '409 INVALID_STATE',
    'A conversation can have at most 10000 messages. Start a new one.',
  ]);
  expect([await owner.credits(), (await conversation.get()).messageCount]).toEqual([credits, 10_000]);
});

it('an agent stores a temperature too small for the table as 0', async () => {
  const owner = await agentOwner(service, { temperature: Number.MIN_VALUE });
  expect(owner.agent.temperature).toBe(0);
  const changed = await owner.call('PATCH', owner.path, { temperature: 1e-150 });
  expect([code(changed), changed.body.data.temperature]).toEqual(['200 SUCCESS', 0]);
});

const dayMs = 86_400_000;

/** Writes the index entries of `entries` conversations, and sets their count to `count`. */
async function fill({ id: accountId, agent }: Owner, entries: number, count: number): Promise<void> {
  const now = Date.now();
  const about = { accountId, agentId: agent.id, createdAt: now, updatedAt: now, expiresAt: now + 10 * dayMs, next: 0 };
  await putRows(
    'agents',
    times(entries, (index) => entryRow({ ...about, id: `cnv_0${index}` })),
  );
  await setInRow('agents', agentKey({ accountId, id: agent.id }), 'conversations', count);
}

it(
  'an agent has at most 10,000 conversations, and can create another after a deletion or an expiry',
  { timeout: patience },
  async () => {
    const owner = await agentOwner(service);
    const begin = () => owner.call('POST', `${owner.path}/conversations`);
    const { path } = await owner.conversation();
    // The counted conversations have expired, so none remains.
    await fill(owner, 0, limits.agentConversations);
    expect(code(await begin())).toBe('201 SUCCESS');
    await fill(owner, limits.agentConversations - 3, limits.agentConversations - 1);
    const together = await Promise.all(times(4, begin));
    expect(together.map(code).toSorted()).toEqual(['201 SUCCESS', ...Array(3).fill('409 INVALID_STATE')]);
    const refused = together.find(({ status }) => status === 409);
    expect(refused?.body.detail).toBe('An agent can have at most 10000 conversations. Delete one first.');

    expect(code(await owner.call('DELETE', path))).toBe('200 SUCCESS');
    expect([code(await begin()), code(await begin())]).toEqual(['201 SUCCESS', '409 INVALID_STATE']);
  },
);
