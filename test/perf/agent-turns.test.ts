import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import { agentRow, entryRow, messageRow, stateRow } from '#repositories/agents/agent-items.ts';
import { useCountedApi } from '#test/service/watched/counted-api.ts';

const api = useCountedApi();

const put = (Item: object) => api.client.send(new PutCommand({ TableName: tables.agents.name, Item: { ...Item } }));

/** A conversation with `messages` earlier messages, and the path for the next one. */
async function conversationOf(messages: number) {
  const { accountId, key } = await api.account();
  const now = Date.now();
  const times = { createdAt: now, updatedAt: now };
  const texts = { name: 'Guide', model: 'svc-1', instructions: 'Reply briefly.', truncation: 'drop' as const };
  const numbers = { temperature: 1, maxTokens: 100, retentionDays: 30, version: 1, chunks: 0, index: 0 };
  const agent = { accountId, id: `agt_${accountId}`, ...texts, ...numbers, functions: [], ...times };
  const id = `cnv_${accountId}`;
  const conversation = { accountId, agentId: agent.id, id, ...times, expiresAt: now + 1e9, next: messages };
  for (const row of [agentRow(agent), stateRow(conversation), entryRow(conversation)]) await put(row);
  for (let place = 0; place < messages; place++) {
    const role = place % 2 === 0 ? ('user' as const) : ('assistant' as const);
    const message = { place, role, content: 'Hello', tokens: 5, createdAt: now, expiresAt: now + 1e9 };
    await put(messageRow(id, message));
  }
  return { key, path: `/api/agents/${agent.id}/conversations/${id}/messages` };
}

describe('a turn', () => {
  test.each([
    ['in a new conversation', 0, { content: 'Hello' }],
    ['in a stream', 0, { content: 'Hello', stream: true }],
    ['after 400 messages', 400, { content: 'Hello' }],
  ])(
    'reads its agent and the conversation as far as the window reaches, then writes lock, hold, turn and settlement: %s',
    async (_, messages, body) => {
      const { key, path } = await conversationOf(messages);
      const { status, operations } = await api.post(path, key, body);
      expect(status).toBe(200);
      // The newest 25 messages, and the rest in a second read if it fits the window.
      const reads = messages > 25 ? ['GetItem', 'Query', 'Query'] : ['GetItem', 'Query'];
      expect(operations.slice(0, reads.length).toSorted()).toEqual(reads);
      const writes = ['UpdateItem', 'UpdateItem', 'model', 'TransactWriteItems', 'UpdateItem'];
      expect(operations.slice(reads.length)).toEqual(writes);
    },
  );

  test('that follows another sends the same operations', async () => {
    const { key, path } = await conversationOf(2);
    const first = await api.post(path, key, { content: 'Hello' });
    const second = await api.post(path, key, { content: 'Hello again' });
    expect(second).toMatchObject({ status: 200, operations: expect.arrayContaining(first.operations) });
    expect(second.operations).toHaveLength(7);
  });
});

test('a refused turn reads at most three times, and writes nothing', async () => {
  const { key, path } = await conversationOf(2);
  const refusals: [path: string, body: object, status: number][] = [
    [path, { functionResults: [{ name: 'f', content: 'x' }] }, 409],
    [path.replace('/cnv_', '/cnv_0'), { content: 'Hello' }, 404],
    [path.replace('/agt_', '/agt_0'), { content: 'Hello' }, 404],
  ];
  for (const [at, body, status] of refusals) {
    const response = await api.post(at, key, body);
    expect(response.status).toBe(status);
    expect(response.operations.filter((operation) => /Update|Put|Write|model/.test(operation))).toEqual([]);
    expect(response.operations.length).toBeLessThanOrEqual(3);
  }
  expect(await api.post(path, 'tai_nonsense', { content: 'Hello' })).toMatchObject({ status: 401, operations: [] });
});
