import { expect, it } from 'vitest';
import { type TableId, tables } from '#contract/platform/resources.ts';
import { purgeAccounts as buildPurgeAccounts } from '#jobs/accounts.ts';
import { purgeAgents as buildPurgeAgents } from '#jobs/agents.ts';
import { conversationPartition, messagePrefix, placeText } from '#repositories/agents/agent-items.ts';
import { agentOwner } from '#test/agents/owner.ts';
import { putRows, rowsOf } from '#test/database/rows.ts';
import { patience, times } from '#test/many.ts';
import { code, useTestService } from '#test/service/service.ts';

const purgeAccounts = buildPurgeAccounts();
const purgeAgents = buildPurgeAgents();
const service = useTestService();

const secret = 'Zaubernuss';

/** The tables with an item that contains the text. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const table of Object.keys(tables) as TableId[])
    if (JSON.stringify(await rowsOf(table), bytesAsText).includes(text)) found.push(table);
  return found;
}

const bytesAsText = (_: string, value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString() : value;

/** Items of the agents' table. Vectors contain no searchable text, so they are counted. */
const items = async (): Promise<number> => (await rowsOf('agents')).length;

/** Keys of the agents' table that name any of these. */
async function itemsOf(...names: string[]): Promise<string[]> {
  const keys = (await rowsOf('agents')).map(({ pk, sk }) => [pk, sk].map(String).join(' '));
  return keys.filter((key) => names.some((name) => key.includes(name)));
}

async function filled() {
  const owner = await agentOwner(service, { name: secret, instructions: `Mind the ${secret}.` });
  const text = `The ${secret} blooms in winter. `.repeat(100);
  const document = await owner.addDocument({ name: secret, text });
  const conversation = await owner.conversation();
  for (let turn = 0; turn < 3; turn++) await conversation.write(`What of the ${secret}?`);
  return { owner, conversation, documentId: document.id };
}

it('deleting a conversation deletes its messages', { timeout: patience }, async () => {
  const before = await items();
  const { owner, conversation, documentId } = await filled();
  expect((await tablesWith(secret)).length).toBeGreaterThan(0);
  expect(code(await owner.call('DELETE', conversation.path))).toBe('200 SUCCESS');
  expect(code(await owner.call('GET', conversation.path))).toBe('404 NOT_FOUND');
  expect((await owner.call('GET', `${owner.path}/conversations`)).body.data.items).toEqual([]);
  expect(await tablesWith(`What of the ${secret}?`)).toEqual([]);
  expect(code(await owner.call('DELETE', `${owner.path}/documents/${documentId}`))).toBe('200 SUCCESS');
  expect(await tablesWith(`The ${secret} blooms`)).toEqual([]);
  // The agent, and the account's number of agents.
  expect(await items()).toBe(before + 2);
  expect(code(await owner.call('DELETE', owner.path))).toBe('200 SUCCESS');
  expect(await tablesWith(secret)).toEqual([]);
});

it('deleting an agent deletes its conversations and documents', { timeout: patience }, async () => {
  const before = await items();
  const { owner, conversation } = await filled();
  expect(code(await owner.call('DELETE', owner.path))).toBe('200 SUCCESS');
  expect(await tablesWith(secret)).toEqual([]);
  // The account's number of agents remains.
  expect(await items()).toBe(before + 1);
  for (const path of [owner.path, conversation.path, `${owner.path}/documents`])
    expect(code(await owner.call('GET', path))).toBe('404 NOT_FOUND');
});

/** Appends this many copies of the first message of a conversation. */
async function repeatMessage(conversationId: string, count: number): Promise<void> {
  const pk = conversationPartition(conversationId);
  const first = (await rowsOf('agents')).find((row) => row['pk'] === pk && row['sk'] === messageKeyAt(0));
  await putRows(
    'agents',
    times(count, (index) => ({ ...first, sk: messageKeyAt(100 + index) })),
  );
}

const messageKeyAt = (place: number): string => `${messagePrefix}${placeText(place)}`;

it('a background job finishes an interrupted deletion', { timeout: patience }, async () => {
  const { owner, conversation } = await filled();
  await repeatMessage(conversation.id, 1100);
  await owner.call('DELETE', owner.path);
  expect((await tablesWith(secret)).length).toBeGreaterThan(0);
  await purgeAgents();
  expect(await tablesWith(secret)).toEqual([]);
});

it('messages expire by TTL', { timeout: patience }, async () => {
  const { owner, conversation } = await filled();
  await service.post('/_local/clock', { advance: 'P29D' });
  await conversation.write('Later');
  await service.post('/_local/clock', { advance: 'P2D' });
  const { messages, messageCount } = await conversation.get();
  expect([messages.items.map(({ role }: any) => role), messageCount]).toEqual([['assistant', 'user'], 8]);
  await expect.poll(() => tablesWith(`What of the ${secret}?`), { timeout: 15_000, interval: 200 }).toEqual([]);
  await service.post('/_local/clock', { advance: 'P29D' });
  expect(code(await owner.call('GET', conversation.path))).toBe('404 NOT_FOUND');
  await owner.call('DELETE', owner.path);
});

it('purging an account deletes its agents', { timeout: patience }, async () => {
  const { owner, conversation } = await filled();
  expect((await itemsOf(owner.agent.id, conversation.id, String(owner.id))).length).toBeGreaterThan(8);
  const { email, password, cookie } = owner;
  const body = { email, password };
  expect(code(await service.call('POST', '/api/auth/delete-account', { cookie, body }))).toBe('200 SUCCESS');
  await service.post('/_local/clock', { advance: 'P31D' });
  await purgeAccounts();
  await purgeAgents();
  await expect.poll(() => tablesWith(secret), { timeout: 15_000, interval: 200 }).toEqual([]);
  expect(await itemsOf(owner.agent.id, conversation.id, String(owner.id))).toEqual([]);
});
