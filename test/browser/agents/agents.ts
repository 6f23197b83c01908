import { expect, test } from 'vitest';
import { agentOwner } from '#test/agents/owner.ts';
import { expectFits, expectReadable, findings, settled } from '../pages/findings.ts';
import {
  eventually,
  goTo,
  heading,
  log,
  open,
  phone,
  press,
  refuse,
  service,
  shoot,
  shows,
  signIn,
  visit,
} from '../stage.ts';

export const handbook =
  'Breakfast is served from seven to ten. The pool opens at noon. Dogs are welcome in the garden.';

export function agentTests(): void {
  test('a new user creates an agent, pastes a document, and gets a reply with its source, within two minutes', async () => {
    const person = await service.person();
    const began = performance.now();
    const page = await open('/login');
    await signIn(page, person);
    await goTo(page, 'Agents');
    await shows(page, 'No agents yet');
    await shoot(page, 'agents-empty');
    await page.getByRole('link', { name: 'Create agent' }).first().click();
    await page.getByLabel('Name').fill('Concierge');
    await page.getByLabel('Instructions').fill('You help guests. Reply briefly.');
    await press(page, 'Create agent');
    await heading(page, 'Concierge');
    await shoot(page, 'agents-first-message');
    await page.getByRole('link', { name: 'Add a document' }).click();
    await page.getByLabel('Name').fill('Handbook');
    await page.getByLabel('Text', { exact: true }).fill(handbook);
    await press(page, 'Add document');
    await page.getByRole('row', { name: /Handbook Ready 1/ }).waitFor();
    await shoot(page, 'agents-document');
    await page.getByRole('tab', { name: 'Conversations' }).click();
    await page.getByLabel('Your message').fill('When is breakfast?');
    await page.getByLabel('Your message').press('Enter');
    const sources = page.getByRole('list', { name: 'Passages sent to the model' });
    await sources.waitFor();
    expect(await sources.textContent()).toMatch(/^Handbookcharacters 0–\d+score \d\.\d\d$/);
    const seconds = (performance.now() - began) / 1000;
    console.log(`from signing in to a reply with its source: ${seconds.toFixed(1)} s`);
    expect(seconds).toBeLessThan(120);
    await shoot(page, 'agents-reply');
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
    await shows(page, 'Functions must not have two functions with the same name');
    await shows(page, 'Instructions must have at most 8000 characters');
    await shoot(page, 'agents-settings-errors');
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
      list: '/agents',
      new: '/agents?new',
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
    await shoot(small, 'agents-talk-small');
    await eventually(() => log(small).evaluate(toTheEnd)).toBeLessThan(2);
  });
}

/** Pixels of a log below the visible part. */
const toTheEnd = (log: any): number => log.scrollHeight - log.scrollTop - log.clientHeight;
