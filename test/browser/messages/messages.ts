import { expect, test } from 'vitest';
import { numberFor, reached } from '#test/messages/sender.ts';
import type { Person } from '#test/service/service.ts';
import { expectFits, expectReadable, findings } from '../pages/findings.ts';
import { eventually, goTo, member, open, press, service, shoot, shows } from '../stage.ts';
import { recipient, textOf } from './message-fields.ts';

/** Messages to phones: a new user's first message, its outcome, and the layout. */
export function messageTests(): void {
  test('a new user sends an SMS, sees it delivered and finds it on the phone, in less than a minute', async () => {
    const began = performance.now();
    const { page, person } = await member('/', { planRank: 2 });
    await goTo(page, 'Messages');
    await shows(page, 'No messages yet');
    await shoot(page, 'messages-empty-light');
    await press(page, 'Get code');
    const code = page.getByRole('dialog');
    await code.getByText('# Use a new Idempotency-Key for each message').waitFor();
    await code.getByText('"to": "+14155550100"').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Test numbers').click();
    await shows(page, 'Failed: the recipient has opted out');
    await shoot(page, 'messages-test-numbers');
    await press(page, 'Use a test number');
    await shows(page, /^United States, \+1 \d{3} 555 01\d\d$/);
    const to = (await recipient(page).inputValue()).trim();
    const text = `Hello ${person.id}`;
    await textOf(page).fill(text);
    await shows(page, `${text.length} of 160 characters, GSM-7, 1 segment`);
    await shoot(page, 'messages-typed');
    await page.getByRole('button', { name: 'Send SMS' }).dblclick();
    await page
      .getByRole('status')
      .filter({ hasText: `SMS to ${to}Delivered` })
      .waitFor();
    await shoot(page, 'messages-delivered');
    await page.getByRole('row', { name: `Delivered ${to} SMS Hello` }).waitFor();
    await page.getByRole('link', { name: 'Open local phone' }).click();
    await shows(page, text);
    expect(performance.now() - began).toBeLessThan(60_000);
    console.log(`a newcomer’s first SMS: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    const sent = await reached(service, to);
    expect(sent.filter((message) => message.text === text)).toHaveLength(1);
  });

  test('a message with a lost response is sent once by its retry', async () => {
    const { page } = await member('/messages', { planRank: 2 });
    const to = numberFor();
    await recipient(page).fill(to);
    await textOf(page).fill('Once');
    let lost = 0;
    await page.route('**/api/messages', async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.fallback();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await press(page, 'Send SMS');
    await shows(page, "Can't reach the server");
    await press(page, 'Retry');
    await page.getByRole('row', { name: /Delivered/ }).waitFor();
    expect([lost, (await reached(service, to)).length]).toEqual([1, 1]);
  });

  test('the list and its drawer are readable in both themes at any width; a call rings on the phone, is heard once answered, and the list is filtered', async () => {
    const page = await open('/messages', await sender());
    await page.getByRole('row', { name: /Undelivered/ }).waitFor();
    await recipient(page).fill('+49 151');
    await textOf(page).fill('Déjà vu 😀 Добрый день');
    await shows(page, 'Germany: incomplete number');
    await shows(page, /^Characters such as .* need Unicode \(UCS-2\): 70 characters per segment instead of 160/);
    await expectReadable(page, 'messages-full');
    for (const width of [1920, 360]) await expectFits(page, 'messages-full', width);
    await page.setViewportSize({ width: 1360, height: 900 });
    await page
      .getByRole('row', { name: /Undelivered/ })
      .getByRole('button')
      .click();
    await page.getByRole('dialog').getByText('Credits charged').waitFor();
    await expectReadable(page, 'messages-drawer');
    await page.keyboard.press('Escape');

    const to = numberFor();
    await page.getByText('Voice call', { exact: true }).first().click();
    await page.getByLabel('Voice', { exact: true }).selectOption('joanna');
    await recipient(page).fill(to);
    await textOf(page).fill('Your table is ready.');
    await shows(page, /^20 of 1,000 characters, played/);
    await shoot(page, 'messages-call');
    await press(page, 'Get code');
    await page.getByRole('dialog').getByText('Idempotency-Key').waitFor();
    await page.keyboard.press('Escape');
    await press(page, 'Call now');
    await page.getByRole('row', { name: /Voice call Your table/ }).waitFor();
    const choose = (label: string, value: string) => page.getByRole('combobox', { name: label }).selectOption(value);
    await choose('Channel', 'sms');
    await eventually(() => page.getByRole('row', { name: /Voice call/ }).count()).toBe(0);
    await choose('Status', 'undelivered');
    await eventually(() => page.getByRole('row', { name: /Undelivered/ }).count()).toBe(1);
    await choose('Status', 'queued');
    await press(page, 'Clear filters');
    await page
      .getByRole('row', { name: /Voice call/ })
      .getByRole('button')
      .click();
    await page.getByRole('dialog').getByText('joanna').waitFor();

    const phone = await page.context().newPage();
    await phone.goto('/_local/phone');
    const honest = /last two digits of the number\s+set the delivery result, whether or not a call is picked up/;
    await shows(phone, honest);
    await shows(page, honest);
    const call = phone.getByRole('group', { name: `Call to ${to}` });
    const heard = phone.waitForResponse(/\/_local\/phone\/call/);
    await call.getByRole('button', { name: 'Answer' }).click();
    expect((await heard).headers()['content-type']).toBe('audio/mpeg');
    await call.getByRole('button', { name: 'Hang up' }).waitFor();
    await shoot(phone, 'phone-call');
    await call.getByRole('button', { name: 'Listen again' }).waitFor();
    await phone.emulateMedia({ colorScheme: 'dark' });
    expect(await findings(phone)).toEqual([]);
    await expectFits(phone, 'phone-narrow-dark');
  });

  test('a plan without messages offers larger plans, and still shows its list', async () => {
    const { page } = await member('/messages');
    await shows(page, 'Messages aren’t included in your plan');
    await shows(page, 'No messages yet');
    await page.getByRole('link', { name: 'Compare plans' }).click();
    await page.waitForURL('**/plans');
  });
}

/** A person with finished messages. */
async function sender(): Promise<Person> {
  const person = await service.person({ planRank: 2 });
  const send = (script: string, about: object = {}) =>
    service.call('POST', '/api/messages', {
      key: person.key,
      body: { channel: 'sms', to: numberFor(script), text: 'A text of some length. '.repeat(8), ...about },
    });
  await send('00', { reference: 'order-4711' });
  await send('02', { text: 'Nobody reads this' });
  await send('03');
  await send('04');
  return person;
}
