import { type BatchWriteCommandInput, BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import type { Agent } from '#domain/agents/agent.ts';
import type { Conversation } from '#domain/agents/conversation.ts';
import { missingMessages, windowOf } from '#domain/agents/turn-order.ts';
import { messageRow, stateRow } from '#repositories/agents/agent-items.ts';
import { conversationStore } from '#repositories/agents/conversations.ts';
import { itemsBy, sdkSend } from '#repositories/shared/items.ts';
import { useTestDatabase } from '#test/database/database.ts';

const database = useTestDatabase();

const table = tables.agents.name;
const now = 1_800_000_000_000;
const window = windowOf('svc-1');
let made = 0;

/** Reads a conversation of `count` messages like a turn of an agent on svc-1. */
async function read(
  count: number,
  tokensAt: (place: number) => number,
  truncation: Agent['truncation'] = 'drop',
  summary?: Conversation['summary'],
) {
  made += 1;
  const ref = { accountId: made, agentId: `agt_${made}`, id: `cnv_${made}` };
  const times = { createdAt: now, expiresAt: now + 1e9 };
  const state = { ...ref, ...times, updatedAt: now, next: count, ...(summary && { summary }) };
  const rows = Array.from({ length: count }, (_, place) => {
    const [role, tokens] = [place % 2 === 0 ? ('user' as const) : ('assistant' as const), tokensAt(place)];
    return messageRow(ref.id, { place, role, content: 'word '.repeat(tokens), tokens, ...times });
  });
  const items: Record<string, unknown>[] = [stateRow(state), ...rows];
  for (let at = 0; at < items.length; at += 25) {
    const RequestItems: BatchWriteCommandInput['RequestItems'] = {
      [table]: items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } })),
    };
    await database.client.send(new BatchWriteCommand({ RequestItems }));
  }
  let [units, reads] = [0, 0];
  const counted = {
    ...itemsBy(sdkSend(database.client)),
    async query(input: ConstructorParameters<typeof QueryCommand>[0]) {
      const reply = await database.client.send(new QueryCommand({ ...input, ReturnConsumedCapacity: 'TOTAL' }));
      units += reply.ConsumedCapacity?.CapacityUnits ?? 0;
      reads += 1;
      return { Items: reply.Items ?? [], LastEvaluatedKey: reply.LastEvaluatedKey };
    },
  };
  const found = await conversationStore(database.client, table, counted).recent(ref, now, async (messages, one) =>
    missingMessages({ model: 'svc-1', truncation }, messages, one.summary),
  );
  const recent = found?.recent ?? [];
  return { recent, tokens: recent.reduce((sum, { tokens }) => sum + tokens, 0), units, reads };
}

describe('a turn', () => {
  it('reads the 25 of 600 messages that fit its window in one read of 6 units', async () => {
    const { recent, tokens, units, reads } = await read(600, () => Math.ceil(window / 25));
    expect([recent.length, reads]).toEqual([25, 1]);
    expect(recent.at(-1)?.place).toBe(599);
    expect(tokens).toBeGreaterThanOrEqual(window);
    expect(units).toBeLessThanOrEqual(6);
  });

  it('reads short messages in two reads, and few beyond its window', async () => {
    const { recent, tokens, reads } = await read(2000, () => 20);
    expect(tokens).toBeGreaterThanOrEqual(window);
    expect(recent.length).toBeLessThanOrEqual(Math.ceil((1.3 * window) / 20));
    expect(reads).toBeLessThanOrEqual(2);
  });

  it('continues in growing reads if earlier messages are shorter than the newest', async () => {
    const { recent, tokens, reads } = await read(900, (place) => (place >= 875 ? Math.floor(window / 26) : 1));
    expect(tokens >= window || recent.length === 900).toBe(true);
    expect(reads).toBeLessThanOrEqual(6);
  });

  it('reads a whole conversation that fits into its window', async () => {
    expect(await read(10, () => 5)).toMatchObject({ recent: { length: 10 }, reads: 1 });
  });

  it('does not read the messages that its summary covers', async () => {
    const { recent } = await read(400, () => 20, 'summarize', { text: 'A summary.', upTo: 390 });
    expect(recent.length).toBeLessThanOrEqual(26);
  });

  it('reads two windows for the first summary', async () => {
    const { tokens } = await read(1200, () => 20, 'summarize');
    expect(tokens).toBeGreaterThanOrEqual(2 * window);
  });
});
