import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { routeEntry } from '#contract/handlers.ts';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';
import { bundle } from '#lib/constructs/function-code.ts';
import { agentRow, entryRow, stateRow } from '#repositories/agents/agent-items.ts';
import { documentRow, documentStore } from '#repositories/agents/documents.ts';
import { dynamoVectorIndex } from '#repositories/agents/vector-index.ts';
import { turnItems } from '#runtime/services/agent-calls.ts';
import { startOurs, startUpstream } from './shared/arms.ts';
import { benchAccounts, startBenchDatabase } from './shared/database.ts';
import { Connection, median, requestBytes } from './shared/load.ts';
import { pinClients, processorSeconds } from './shared/processes.ts';

/**
 * Compares the CPU time of a conversation turn with that of a chat call, both in the deployed bundles and against the
 * same model stub. Also measures passage search over 100, 1,000 and 2,000 chunks of 1,536 dimensions, with a cold and a
 * warm vector cache.
 */
const rounds = 5;
const callsPerRound = 300;
const dimensions = 1536;

const database = await startBenchDatabase();
const folder = await mkdtemp(join(tmpdir(), 'bench-agents-'));
for (const id of ['create-chat-completion', 'create-message']) bundle(routeEntry(id), join(folder, id));
Object.assign(process.env, {
  [tableVariables.agents]: tables.agents.name,
  [tableVariables.accounts]: tables.accounts.name,
  AWS_ENDPOINT_URL_DYNAMODB: database.url,
});
const accounts = benchAccounts(50);
await database.add(accounts);
const now = Date.now();
const about = { createdAt: now, updatedAt: now };
const agentOf = (accountId: number, id: string) => ({
  accountId,
  id,
  ...about,
  name: 'Guide',
  model: 'svc-1',
  instructions: 'Reply briefly.',
  functions: [],
  temperature: 1,
  maxTokens: null,
  truncation: 'drop' as const,
  retentionDays: 30,
  version: 1,
  chunks: 0,
  index: 0,
});
const put = (Item: object) =>
  database.client.send(new PutCommand({ TableName: tables.agents.name, Item: { ...Item } }));

async function conversations(round: number): Promise<Buffer[]> {
  return Promise.all(
    accounts.map(async ({ accountId, key }, index) => {
      const agent = agentOf(accountId, `agt_${index}`);
      const id = `cnv_${round}x${index}`;
      const conversation = { accountId, agentId: agent.id, id, ...about, expiresAt: now + 1e9, next: 0 };
      await put(agentRow(agent));
      await put(stateRow(conversation));
      await put(entryRow(conversation));
      const path = `/api/agents/${agent.id}/conversations/${id}/messages`;
      return requestBytes(path, { Authorization: `Bearer ${key}` }, JSON.stringify({ content: 'Hello' }));
    }),
  );
}

const chat = JSON.stringify({ model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] });
const chats = accounts.map(({ key }) => requestBytes('/v1/chat/completions', { Authorization: `Bearer ${key}` }, chat));

pinClients();
const upstream = await startUpstream();
const ours = await startOurs(folder, upstream, database.url);
const connection = await Connection.open(ours.port);

/** CPU time per request, in ms. */
async function cost(requests: readonly Buffer[], calls: number): Promise<number> {
  const before = processorSeconds(ours.pid);
  for (let call = 0; call < calls; call++) {
    const { status, body } = await connection.exchange(requests[call % requests.length] ?? Buffer.alloc(0));
    if (status !== 200) throw new Error(`a call was refused: ${status} ${body.toString()}`);
  }
  return ((processorSeconds(ours.pid) - before) * 1000) / calls;
}

async function compareCalls(): Promise<void> {
  await cost(chats, callsPerRound);
  await cost(await conversations(0), callsPerRound);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const turns = await conversations(round);
    const [chatMs, turnMs] = [await cost(chats, callsPerRound), await cost(turns, callsPerRound)];
    ratios.push(turnMs / chatMs);
    const ratio = (turnMs / chatMs).toFixed(2);
    console.log(
      `round ${round}: a chat ${chatMs.toFixed(2)} ms, a turn ${turnMs.toFixed(2)} ms, ${ratio} times as much`,
    );
  }
  console.log(`median: a turn takes ${median(ratios).toFixed(2)} times the CPU time of a chat call`);
}

const vectorOf = () => Array.from({ length: dimensions }, () => Math.random() - 0.5);
const passage = 'A passage of a handbook, about as long as passages are. '.repeat(17);

async function searchOver(chunks: number): Promise<void> {
  const { accountId } = v.parse(v.object({ accountId: v.number() }), accounts[0]);
  const agent = { ...agentOf(accountId, `agt_search${chunks}`), chunks };
  await put(agentRow({ ...agent, chunks: 0 }));
  const table = tables.agents.name;
  const document = { accountId, agentId: agent.id, id: 'doc_1', name: 'Handbook', status: 'indexing' as const };
  const size = { bytes: 0, chunks, indexedChunks: 0, tokens: 0, cost: 0, createdAt: now };
  const row = documentRow({ ...document, ...size });
  await put(row);
  const documents = documentStore(database.client, table, () => tables.meters.name);
  await documents.addTexts(
    document,
    Array.from({ length: chunks }, () => ({ start: 0, end: 10, text: passage })),
  );
  for (let from = 0; from < chunks; from += 96) {
    const some = Array.from({ length: Math.min(96, chunks - from) }, () => ({ start: 0, end: 10, text: passage }));
    const vectors = some.map(vectorOf);
    await dynamoVectorIndex(database.client, table).add(document, {
      model: 'svc-embed',
      from,
      chunks: some,
      vectors,
      tokens: 1,
    });
  }
  await put({ ...row, status: 'ready' });
  const [first, again]: [number[], number[]] = [[], []];
  const items = turnItems({ FAST_PATH: 'on' }, database.client);
  for (let round = 0; round < 9; round++) {
    const index = dynamoVectorIndex(database.client, table, items);
    for (const times of [first, again]) {
      const before = process.cpuUsage();
      const text = 'Is it about as long as passages are?';
      const found = await index.search(agent, { text, model: 'svc-embed', vector: vectorOf() }, 4);
      const { user, system } = process.cpuUsage(before);
      if (found.length !== 4) throw new Error(`${found.length} passages were found`);
      times.push((user + system) / 1000);
    }
  }
  const shown = [first, again].map((times) => `${median(times).toFixed(1)} ms`);
  console.log(`${chunks} chunks: ${shown[0]} of CPU time with a cold vector cache, ${shown[1]} with a warm one`);
}

try {
  await compareCalls();
  for (const chunks of [100, 1000, 2000]) await searchOver(chunks);
} finally {
  connection.close();
  await ours.close();
  await upstream.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
}
