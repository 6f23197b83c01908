import type { Page } from 'playwright-core';
import { expect, test, describe } from 'vitest';
import { agentOwner } from '#test/agents/owner.ts';
import { expectFits, expectReadable, findings, settled } from '../pages/findings.ts';
import {
  changeData,
  eventually,
  goTo,
  heading,
  log,
  open,
  phone,
  press,
  refuse,
  say,
  service,
  shows,
  signIn,
  visit,
  useStage,
} from '../stage.ts';

useStage();

export const handbook =
  'Breakfast is served from seven to ten. The pool opens at noon. Dogs are welcome in the garden.';

describe('agents', () => {
  test('a new user creates an agent, pastes a document, and gets a reply with its source, within two minutes', async () => {
    const person = await service.person();
    const began = performance.now();
    const page = await open('/login');
    await signIn(page, person);
    await goTo(page, 'Agents');
    await shows(page, 'No agents yet');
    await page.getByRole('link', { name: 'Create agent' }).first().click();
    await page.getByLabel('Name').fill('Concierge');
    await page.getByLabel('Instructions').fill('You help guests. Reply briefly.');
    await press(page, 'Create agent');
    await heading(page, 'Concierge');
    await page.getByRole('link', { name: 'Add a document' }).click();
    await page.getByLabel('Name').fill('Handbook');
    await page.getByLabel('Text', { exact: true }).fill(handbook);
    await press(page, 'Add document');
    await page.getByRole('row', { name: /Handbook Ready 1/ }).waitFor();
    await page.getByRole('tab', { name: 'Conversations' }).click();
    await page.getByLabel('Your message').fill('When is breakfast?');
    await page.getByLabel('Your message').press('Enter');
    const sources = page.getByRole('list', { name: 'Passages sent to the model' });
    await sources.waitFor();
    expect(await sources.textContent()).toMatch(/^Handbookcharacters 0–\d+score \d\.\d\d$/);
    const seconds = (performance.now() - began) / 1000;
    console.log(`from signing in to a reply with its source: ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(120);
    const reply = await log(page).textContent();
    expect(reply).toContain('1 credit');
    expect(await page.getByRole('list', { name: 'Conversations, newest first' }).textContent()).toContain('2 messages');
    await page.getByLabel('Your message').fill('And dinner?');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Instructions').waitFor();
    await page.getByRole('tab', { name: 'Conversations' }).click();
    expect(await page.getByLabel('Your message').inputValue()).toBe('And dinner?');
    await press(page, 'Get code');
    const code = (await page.getByRole('dialog').getByRole('region', { name: 'cURL code' }).textContent()) ?? '';
    const id = new URL(page.url()).searchParams.get('agent') ?? '';
    expect(code).toMatch(new RegExp(`/api/agents/${id}/conversations/cnv_\\w+/messages'.*And dinner\\?`, 's'));
    await page.reload();
    await eventually(() => log(page).textContent()).toBe(reply);
    expect(await page.getByText(id, { exact: true }).count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Copy agent ID' }).count()).toBe(1);
  });

  test('an agent is edited: an error is next to its field, unsaved changes survive, and the saved version is named', async () => {
    const owner = await agentOwner(service);
    const page = await open(`/agents?agent=${owner.agent.id}&tab=settings`, owner);
    const field = (label: string) => page.getByLabel(label, { exact: true });
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
    await field('Name').fill('');
    await field('Retention in days').fill('400');
    await field('Functions').fill('[{"name": "a"}, {"name": "a"}]');
    await page.getByRole('radio', { name: /^Summarize/ }).check();
    await field('Instructions').fill('😀'.repeat(8001));
    await shows(page, '8,001 of 8,000 characters');
    await press(page, 'Save');
    await shows(page, 'Name is required');
    await shows(page, 'Retention must be at most 365');
    await shows(page, 'Functions must not contain two functions with the same name');
    await shows(page, 'Instructions must have at most 8000 characters');
    expect(await findings(page)).toEqual([]);
    await field('Functions').fill('{"name"');
    await shows(page, 'Functions must be JSON.');
    await field('Functions').fill('');
    await field('Instructions').fill('Reply at length.');
    await field('Retention in days').fill('7');
    await goTo(page, 'Usage');
    await heading(page, 'Usage');
    await page.goBack();
    await shows(page, 'Unsaved changes are kept in this tab.');
    expect(await field('Instructions').inputValue()).toBe('Reply at length.');
    await page.reload();
    await shows(page, 'Unsaved changes are kept in this tab.');
    await field('Name').fill('دليل');
    const refusal = { status: 400, message: 'INVALID_FORMAT', detail: 'name must be another one.' };
    await refuse(page, '**/api/agents/*', refusal, 'PATCH');
    await press(page, 'Save');
    await shows(page, 'Name must be another one');
    expect(await page.evaluate('document.activeElement.dataset.path')).toBe('name');
    await page.unrouteAll();
    await owner.call('PATCH', owner.path, { temperature: 0.5 });
    await press(page, 'Save');
    await shows(page, 'Saved as version 3. The agent had also been changed elsewhere.');
    await heading(page, 'دليل');
    expect((await owner.call('GET', owner.path)).body.data).toMatchObject({
      version: 3,
      retentionDays: 7,
      truncation: 'summarize',
      temperature: 0.5,
    });
    await page.reload();
    await shows(page, /^Each saved change creates a new version/);
  });

  test('every screen of an agent is readable in both themes, and fits a phone', { timeout: 90_000 }, async () => {
    const about = {
      name: 'Concierge of the Grand Hotel by the quiet river',
      truncation: 'summarize',
      functions: [{ name: 'find_weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }],
    };
    const owner = await agentOwner(service, about);
    const { agent } = owner;
    await owner.call('POST', `${owner.path}/documents`, { name: 'Handbook of the house', text: handbook });
    const talk = await owner.conversation();
    for (let turn = 0; turn < 2; turn++) await talk.write(`${'of rivers and hills '.repeat(400)}Of what?`);
    for (let turn = 0; turn < 2; turn++) await talk.write('When is breakfast?');
    await talk.write('Find the weather of Oslo');
    const page = await visit(owner);
    const screens = {
      talk: `/agents?agent=${agent.id}&conversation=${talk.id}`,
      documents: `/agents?agent=${agent.id}&tab=documents`,
      settings: `/agents?agent=${agent.id}&tab=settings`,
    };
    for (const [name, path] of Object.entries(screens)) {
      await page.setViewportSize({ width: 1360, height: 900 });
      await page.goto(path);
      await settled(page);
      await expectReadable(page, `agents-${name}`);
      if (name === 'talk') {
        await shows(page, /earlier messages? summarized/);
        await page.getByText('Summary of earlier messages').click();
      }
      await expectFits(page, `agents-${name}`);
    }
    const small = await open(screens.talk, owner, phone);
    await small.getByLabel('Function result').waitFor();
    await eventually(() => log(small).evaluate(toTheEnd)).toBeLessThan(2);
  });
});

/** Pixels of a log below the visible part. */
const toTheEnd = (log: any): number => log.scrollHeight - log.scrollTop - log.clientHeight;

async function choose(page: Page, name: string, buffer: Buffer): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await press(page, 'Choose file');
  await (await choosing).setFiles({ name, mimeType: 'text/plain', buffer });
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page.getByLabel('Text', { exact: true }).dispatchEvent('drop', { dataTransfer });
}

describe('documents of an agent', () => {
  test('uploaded documents are checked before they are sent, and are deleted after confirmation', async () => {
    const owner = await agentOwner(service);
    const page = await open(`/agents?agent=${owner.agent.id}`, owner);
    await page.getByRole('link', { name: 'Add a document' }).click();
    await shows(page, '0 of 2,000 passages used');
    const text = page.getByLabel('Text', { exact: true });
    await text.fill('Pasted');
    await page.getByRole('tab', { name: 'Conversations' }).click();
    await page.getByRole('tab', { name: 'Documents' }).click();
    expect(await text.inputValue()).toBe('Pasted');
    await choose(page, 'large.md', Buffer.alloc(1024 * 1024 + 1, 'a'));
    await shows(page, 'The file is larger than 1 MiB');
    await choose(page, 'old.txt', Buffer.from([0xe9, 0x20, 0xff]));
    await shows(page, 'The file is not UTF-8 text');
    await choose(page, 'page.pdf', Buffer.from('%PDF'));
    await shows(page, 'Choose a .txt or .md file');
    await drop(page, 'house.md', `# House\n\n${`${handbook}\n\n`.repeat(60)}`);
    await eventually(() => page.getByLabel('Name').inputValue()).toBe('house.md');
    await shows(page, /^5\.\d KiB of 1 MiB, about 0\.1\d credits$/);
    await press(page, 'Add document');
    await page.getByRole('row', { name: /house\.md Ready .* 0\.1\d+ / }).waitFor();
    await shows(page, /“house\.md” was added\. Indexing \d+ passages\./);
    await eventually(() => page.getByText(/of 2,000 passages used/).textContent()).not.toMatch(/^0 /);
    await press(page, 'Delete house.md');
    await press(page, 'Delete document');
    await shows(page, 'No documents yet');
    await shows(page, '0 of 2,000 passages used');
    await press(page, 'Delete agent');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete agent' }).click();
    await shows(page, 'No agents yet');
    expect((await owner.call('GET', owner.path)).status).toBe(404);
    await page.goBack();
    await shows(page, 'Agent not found');
  });

  test('an indexing document shows its progress, and a failed one shows the remedy', async () => {
    const owner = await agentOwner(service);
    const page = await visit(owner);
    const usage = { prompt_tokens: 0, total_tokens: 0 };
    const shown = { createdAt: '2026-03-01T10:00:00.000Z', bytes: 90_000, chunks: 100, credits: 9, usage };
    const documents = [
      { ...shown, id: 'doc_2', name: 'Rules of the house', status: 'indexing', indexedChunks: 40 },
      { ...shown, id: 'doc_1', name: 'Menu', status: 'failed', indexedChunks: 16 },
    ];
    await changeData(page, '**/documents?*', () => ({ items: documents, nextCursor: null }));
    await page.goto(`/agents?agent=${owner.agent.id}&tab=documents`);
    await shows(page, 'Indexing: 40 of 100');
    await shows(page, 'Failed. Add it again.');
    await expectReadable(page, 'agents-indexing');
    documents.splice(0, 1, { ...shown, id: 'doc_2', name: 'Rules of the house', status: 'ready', indexedChunks: 100 });
    await page.getByRole('row', { name: /Rules of the house Ready/ }).waitFor();
  });
});

const functions = [
  {
    name: 'find_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

describe('turns of an agent', () => {
  test('a function is called, its result is submitted, and the reply continues with it', async () => {
    const owner = await agentOwner(service, { functions });
    const page = await open(`/agents?agent=${owner.agent.id}`, owner);
    await say(page, 'What is the weather of Oslo?');
    await page.getByLabel('Function result').waitFor();
    expect(await log(page).textContent()).toContain('find_weather');
    await shows(page, /^The agent is waiting for a function result/);
    await page.getByLabel('Your message').fill('And?');
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Submit result' }).isDisabled()).toBe(true);
    await page.getByLabel('Function result').fill('{"sky": "clear"}');
    await press(page, 'Submit result');
    await eventually(() => page.getByText(/^version 1$/).count()).toBe(2);
    expect(await page.getByLabel('Function result').count()).toBe(0);
    await eventually(() => page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
    await page.reload();
    await shows(page, '{"sky": "clear"}');
  });

  test('a stream continues after its page is left, and the whole turn is visible on return', async () => {
    const owner = await agentOwner(service);
    const page = await open(`/agents?agent=${owner.agent.id}`, owner);
    await say(page, 'What of the rivers of the north, their bridges and their boats?');
    await page.waitForURL(/conversation=cnv_/);
    await eventually(() => log(page).textContent()).toMatch(/Agent\w+/);
    await page.reload();
    await log(page).getByText('version 1', { exact: true }).waitFor();
    expect(await log(page).getAttribute('aria-busy')).toBe('false');
    expect(await log(page).textContent()).toContain('What of the rivers of the north');
    expect(await page.getByText('Generating a reply…').count()).toBe(0);
  });

  test('a failed turn keeps its message for a retry or an edit, and a stopped turn is discarded', async () => {
    const owner = await agentOwner(service);
    const page = await open(`/agents?agent=${owner.agent.id}`, owner);
    const messages = '**/messages';
    await refuse(page, messages, { status: 502, message: 'MODEL_ERROR', detail: 'The model failed.' });
    await say(page, 'Write a long story of rivers in three hundred words');
    await shows(page, /^The model failed\./);
    await shows(page, 'No conversations');
    expect(page.url()).not.toContain('conversation=');
    await press(page, 'Edit message');
    expect(await page.getByLabel('Your message').inputValue()).toContain('story of rivers');
    await page.unroute(messages);
    await press(page, 'Retry');
    await page.locator('[role=log][aria-busy=true]', { hasText: 'Agent' }).waitFor();
    await eventually(() => log(page).textContent()).toMatch(/Agent\w+/);
    await press(page, 'Stop');
    await shows(page, /^Stopped\. This turn was not saved\. 1 credit charged/);
    await page.reload();
    await shows(page, 'No messages yet');
  });

  test('conversations are opened by their address, and deleted after confirmation', async () => {
    const owner = await agentOwner(service);
    const [hills, rivers] = [await owner.conversation(), await owner.conversation()];
    await hills.write('Of hills');
    await rivers.write('Of rivers');
    const page = await open(`/agents?agent=${owner.agent.id}`, owner);
    await shows(page, 'No messages yet');
    const list = page.getByRole('list', { name: 'Conversations, newest first' });
    const row = list.getByRole('listitem').filter({ has: page.locator(`a[href*="${hills.id}"]`) });
    await row.getByRole('link').click();
    await shows(page, 'Of hills');
    expect(page.url()).toContain(hills.id);
    await page.getByRole('link', { name: 'New conversation' }).click();
    await shows(page, 'No messages yet');
    await page.goBack();
    await shows(page, 'Of hills');
    const busy = { status: 'running', messageCount: 0, messages: { items: [], nextCursor: null } };
    await changeData(page, `**/conversations/${rivers.id}?*`, (data) => ({ ...data, ...busy }));
    await list.locator(`a[href*="${rivers.id}"]`).click();
    await shows(page, 'This conversation is generating a reply. Wait for it, or start a new conversation.');
    await shows(page, 'Generating a reply…');
    expect(await page.getByText('No messages yet').count()).toBe(0);
    await page.goBack();
    await row.getByRole('button').click();
    await press(page, /^Delete conversation$/);
    await shows(page, 'No messages yet');
    await eventually(() => list.getByRole('link').count()).toBe(1);
    await page.goto(`/agents?agent=${owner.agent.id}&conversation=${hills.id}`);
    await shows(page, 'Conversation not found');
  });
});
