import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '#contract/shared/limits.ts';
import { agentKey } from '#repositories/agents/agent-items.ts';
import { entryRow } from '#repositories/agents/conversation-items.ts';
import { agentOwner, type Owner } from '#test/agents/owner.ts';
import { putRows, setInRow } from '#test/database/rows.ts';
import { patience, times } from '#test/many.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const dayMs = 86_400_000;

/** Entries of so many conversations, and what they are counted as. */
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
  'an agent has 10,000 conversations, and the next once one is deleted or has expired',
  { timeout: patience },
  async () => {
    const owner = await agentOwner(service);
    const begin = () => owner.call('POST', `${owner.path}/conversations`);
    const { path } = await owner.conversation();
    // Of those that were counted and have expired none is left.
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
