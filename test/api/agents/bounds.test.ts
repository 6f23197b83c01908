import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#contract/shared/limits.ts';
import { stateKey } from '#repositories/agents/conversation-items.ts';
import { agentOwner } from '#test/agents/owner.ts';
import { rowsOf, setInRow } from '#test/database/rows.ts';
import { patience } from '#test/many.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const items = async (): Promise<number> => (await rowsOf('agents')).length;

/** A text of so many chunks: no two of its sentences fit into one. */
const textOf = (chunks: number): string => `${'Word '.repeat(110)}end. `.repeat(chunks);

describe('an agent', () => {
  it(
    'takes 2,000 chunks, and refuses the next until some are deleted: nothing is stored, nothing charged',
    {
      timeout: 4 * patience,
    },
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
    'of which many are given at the same moment takes those that have room together',
    {
      timeout: 2 * patience,
    },
    async () => {
      const owner = await agentOwner(service);
      const path = `${owner.path}/documents`;
      const text = textOf(450);
      const made = await Promise.all(
        Array.from({ length: 6 }, (_, at) => owner.call('POST', path, { name: `Part ${at}`, text })),
      );
      expect(made.map(code).toSorted()).toEqual([
        ...Array(4).fill('201 SUCCESS'),
        ...Array(2).fill('409 INVALID_STATE'),
      ]);
      expect((await owner.call('GET', owner.path)).body.data.chunks).toBe(1800);
      expect((await owner.call('GET', path)).body.data.items).toHaveLength(4);
    },
  );
});

it('an account has a hundred agents, and the next once one is deleted', async () => {
  const owner = await agentOwner(service);
  const agent = { name: 'Guide', model: 'svc-1' };
  for (let count = 1; count < limits.agents; count++) await owner.call('POST', '/api/agents', agent);
  const refused = await owner.call('POST', '/api/agents', agent);
  expect([code(refused), refused.body.detail]).toEqual([
    '409 INVALID_STATE',
    'An account can have at most 100 agents. Delete one first.',
  ]);
  expect(code(await owner.call('DELETE', owner.path))).toBe('200 SUCCESS');
  expect(code(await owner.call('POST', '/api/agents', agent))).toBe('201 SUCCESS');
});

it('a conversation has 10,000 messages, and refuses the next without a charge', async () => {
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

it('a temperature that no table keeps is 0', async () => {
  const owner = await agentOwner(service, { temperature: Number.MIN_VALUE });
  expect(owner.agent.temperature).toBe(0);
  const changed = await owner.call('PATCH', owner.path, { temperature: 1e-150 });
  expect([code(changed), changed.body.data.temperature]).toEqual(['200 SUCCESS', 0]);
});
