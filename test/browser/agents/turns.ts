import { expect, test } from 'vitest';
import { agentOwner } from '#test/agents/owner.ts';
import { changeData, eventually, log, open, press, refuse, say, service, shoot, shows } from '../stage.ts';

const functions = [
  {
    name: 'find_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

export function agentTurnTests(): void {
  test('a function is called, its result is submitted, and the reply continues with it', async () => {
    const owner = await agentOwner(service, { functions });
    const page = await open(`/agents?agent=${owner.agent.id}`, owner);
    await say(page, 'What is the weather of Oslo?');
    await page.getByLabel('Function result').waitFor();
    await shoot(page, 'agents-function');
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
    await shoot(page, 'agents-failed');
    await press(page, 'Edit message');
    expect(await page.getByLabel('Your message').inputValue()).toContain('story of rivers');
    await page.unroute(messages);
    await press(page, 'Retry');
    await page.locator('[role=log][aria-busy=true]', { hasText: 'Agent' }).waitFor();
    await eventually(() => log(page).textContent()).toMatch(/Agent\w+/);
    await press(page, 'Stop');
    await shows(page, /^Stopped\. This turn was not saved\. 1 credit charged/);
    await shoot(page, 'agents-stopped');
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
}
