import { expect, test } from 'vitest';
import { agentOwner } from '#test/agents/owner.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

const functions = [
  {
    name: 'find_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

export function agentTurnTests(stage: () => Stage): void {
  test('a function is called, its result is submitted, and the reply goes on from it', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.person({ planRank: 4 });
    const { agent } = await agentOwner(service, { functions }, person);
    const page = await visit(person);
    await page.goto(`/agents?agent=${agent.id}`);
    await page.getByLabel('Your message').fill('What is the weather of Oslo?');
    await press(page, 'Send');
    const log = page.getByRole('log');
    await page.getByLabel('Function result').waitFor();
    await shoot(page, 'agents-function');
    expect(await log.textContent()).toContain('find_weather');
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

  test('a stream that is left goes on, and the whole turn is there on return', async () => {
    const { service, visit } = stage();
    const person = await service.person({ planRank: 4 });
    const { agent } = await agentOwner(service, {}, person);
    const page = await visit(person);
    await page.goto(`/agents?agent=${agent.id}`);
    await page.getByLabel('Your message').fill('What of the rivers of the north, their bridges and their boats?');
    await press(page, 'Send');
    await page.waitForURL(/conversation=cnv_/);
    const log = page.getByRole('log');
    await eventually(() => log.textContent()).toMatch(/Agent\w+/);
    await page.reload();
    await log.getByText('version 1', { exact: true }).waitFor();
    expect(await log.getAttribute('aria-busy')).toBe('false');
    expect(await log.textContent()).toContain('What of the rivers of the north');
    expect(await page.getByText('Generating a reply…').count()).toBe(0);
  });

  test('a turn that fails leaves its message to be sent again or edited, and one that is stopped is not kept', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.person({ planRank: 4 });
    const { agent } = await agentOwner(service, {}, person);
    const page = await visit(person);
    await page.goto(`/agents?agent=${agent.id}`);
    const messages = '**/messages';
    await page.route(messages, (route) =>
      route.fulfill({
        status: 502,
        json: { error: true, message: 'MODEL_ERROR', status: 502, data: null, detail: 'The model failed.' },
      }),
    );
    await page.getByLabel('Your message').fill('Write a long story of rivers in three hundred words');
    await press(page, 'Send');
    await shows(page, /^The model failed\./);
    await shows(page, 'No conversations');
    expect(page.url()).not.toContain('conversation=');
    await shoot(page, 'agents-failed');
    await press(page, 'Edit message');
    expect(await page.getByLabel('Your message').inputValue()).toContain('story of rivers');
    await page.unroute(messages);
    await press(page, 'Retry');
    await page.locator('[role=log][aria-busy=true]', { hasText: 'Agent' }).waitFor();
    await eventually(() => page.getByRole('log').textContent()).toMatch(/Agent\w+/);
    await press(page, 'Stop');
    await shows(page, /^Stopped\. This turn was not saved\. 1 credit charged/);
    await shoot(page, 'agents-stopped');
    await page.reload();
    await shows(page, 'No messages yet');
  });

  test('conversations are opened by their address, and deleted when that is confirmed', async () => {
    const { service, visit } = stage();
    const person = await service.person({ planRank: 4 });
    const { agent, conversation } = await agentOwner(service, {}, person);
    const [hills, rivers] = [await conversation(), await conversation()];
    await hills.write('Of hills');
    await rivers.write('Of rivers');
    const page = await visit(person);
    await page.goto(`/agents?agent=${agent.id}`);
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
    await page.route(`**/conversations/${rivers.id}?*`, async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      const busy = { ...body.data, status: 'running', messageCount: 0, messages: { items: [], nextCursor: null } };
      await route.fulfill({ response, json: { ...body, data: busy } });
    });
    await list.locator(`a[href*="${rivers.id}"]`).click();
    await shows(page, 'This conversation is generating a reply. Wait for it, or start a new conversation.');
    await shows(page, 'Generating a reply…');
    expect(await page.getByText('No messages yet').count()).toBe(0);
    await page.goBack();
    await row.getByRole('button').click();
    await press(page, /^Delete conversation$/);
    await shows(page, 'No messages yet');
    await eventually(() => list.getByRole('link').count()).toBe(1);
    await page.goto(`/agents?agent=${agent.id}&conversation=${hills.id}`);
    await shows(page, 'Conversation not found');
  });
}
