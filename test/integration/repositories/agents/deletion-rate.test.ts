import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { jobs } from '#contract/jobs.ts';
import { tables } from '#contract/platform/resources.ts';
import { conversationPartition } from '#repositories/agents/agent-items.ts';
import { purger } from '#repositories/agents/purge.ts';
import { startTestDatabase } from '#test/database/database.ts';
import { atLength, patience, times } from '#test/many.ts';

const table = tables.agents.name;

let database: Awaited<ReturnType<typeof startTestDatabase>>;
beforeEach(async () => {
  database = await startTestDatabase();
  return () => database.close();
});

/** A client that runs `before` with the input of each request. */
function clientWith(before: (input: object) => unknown): DynamoDBDocumentClient {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: database.url }));
  client.middlewareStack.add((next) => async (args) => {
    await before(args.input);
    return next(args);
  });
  return client;
}

const put = (Item: object) => database.client.send(new PutCommand({ TableName: table, Item: { ...Item } }));
const note = (id: string, at: number) =>
  put({ pk: 'purge', sk: `${String(at).padStart(15, '0')}#agent#${id}`, kind: 'agent', agentId: id, id, at });
const left = async () => (await database.client.send(new ScanCommand({ TableName: table, Select: 'COUNT' }))).Count;

/** A deleted agent with the given numbers of conversations and 1 KB messages. */
async function deletedAgent(agentId: string, conversations: number, messages: number): Promise<void> {
  await note(agentId, 1);
  const content = 'x'.repeat(900);
  for (let made = 0; made < conversations; made++) {
    const id = `cnv_${agentId}${made}`;
    await put({ pk: `agent#${agentId}`, sk: `conversation#${id}` });
    const rows = times(messages, (place) => ({ pk: conversationPartition(id), sk: `message#${place}`, content }));
    for (let from = 0; from < rows.length; from += 25) {
      const puts = rows.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
      await database.client.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }));
    }
  }
}

/** Milliseconds of a DynamoDB request: more than the usual 5 to 10. */
const responseMs = 20;

describe('the data of deleted agents', () => {
  it(
    'is deleted within a day for 10,000 conversations of 1,000 messages, at the measured rate',
    async () => {
      const [conversations, messages] = atLength([20, 100], [100, 1000]);
      await deletedAgent('agt_big', conversations, messages);
      const client = clientWith(() => sleep(responseMs));
      const began = performance.now();
      expect(await purger(client, table).purgePending()).toBe(1);
      const perSecond = (conversations * messages * 1000) / (performance.now() - began);
      expect(await left()).toBe(0);
      const { trigger, timeoutSeconds } = jobs.purgeAgents;
      const workedSeconds = (86_400 / trigger.everySeconds) * timeoutSeconds * 0.8;
      console.log(`${perSecond.toFixed(0)} messages per second, ${(1e7 / perSecond / 3600).toFixed(1)} h of work`);
      expect(1e7 / perSecond).toBeLessThan(workedSeconds);
    },
    patience,
  );

  it('is deleted even if another deletion fails, which is reported', async () => {
    for (const agent of ['agt_1', 'agt_2', 'agt_3']) await deletedAgent(agent, 2, 3);
    let isBroken = true;
    const client = clientWith((input) => {
      if (isBroken && JSON.stringify(input).includes('agt_1')) throw new Error('this partition fails');
    });
    await expect(purger(client, table).purgePending()).rejects.toThrow('1 deletions could not be finished');
    expect(await left()).toBe(1 + 2 * (1 + 3));
    isBroken = false;
    expect(await purger(client, table).purgePending()).toBe(1);
    expect(await left()).toBe(0);
  });

  it('is deleted by the next run if one run is aborted', async () => {
    await deletedAgent('agt_long', 3, 900);
    const time = new AbortController();
    let batches = 0;
    const client = clientWith((input) => {
      if ('RequestItems' in input && (batches += 1) === 5) time.abort();
    });
    expect(await purger(client, table).purgePending(time.signal)).toBe(0);
    expect(await left()).toBeGreaterThan(1000);
    expect(await purger(client, table).purgePending()).toBe(1);
    expect(await left()).toBe(0);
  });
});
