import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { numberFor, reached } from '#test/messages/sender.ts';
import type { Person } from '#test/service/service.ts';
import { expectFits, expectReadable, findings } from '../pages/findings.ts';
import { become, eventually, goTo, member, open, press, service, shows } from '../stage.ts';

const recipient = (page: Page) => page.getByLabel('Recipient');
const textOf = (page: Page) => page.getByLabel('Text', { exact: true });

/** Messages to phones: a new user's first message, its outcome, and the layout. */
export function messageTests(): void {
  test('a new user sends an SMS, sees it delivered and finds it on the phone, in less than a minute', async () => {
    const began = performance.now();
    const { page, person } = await member('/', { planRank: 2 });
    await goTo(page, 'Messages');
    await shows(page, 'No messages yet');
    await press(page, 'Get code');
    const code = page.getByRole('dialog');
    await code.getByText('# Use a new Idempotency-Key for each message').waitFor();
    await code.getByText('"to": "+14155550100"').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Test numbers').click();
    await shows(page, 'Failed: the recipient has opted out');
    await press(page, 'Use a test number');
    await shows(page, /^United States, \+1 \d{3} 555 01\d\d$/);
    const to = (await recipient(page).inputValue()).trim();
    const text = `Hello ${person.id}`;
    await textOf(page).fill(text);
    await shows(page, `${text.length} of 160 characters, GSM-7, 1 segment`);
    await page.getByRole('button', { name: 'Send SMS' }).dblclick();
    await page
      .getByRole('status')
      .filter({ hasText: `SMS to ${to}Delivered` })
      .waitFor();
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

async function send(page: Page, to: string, text: string): Promise<void> {
  await recipient(page).fill(to);
  await textOf(page).fill(text);
  await press(page, 'Send SMS');
}

/** The form for a new message: its draft, its errors, and the notice of a missing service. */
export function composerTests(): void {
  test('a missing service shows one notice, offline too, and a retry loads the list', async () => {
    const { page } = await member('/messages', { planRank: 2 });
    await recipient(page).fill(numberFor());
    await textOf(page).fill('Hello');
    await page.route('**/api/**', (route) => route.abort());
    await press(page, 'Send SMS');
    await shows(page, "Can't reach the server. Check your connection and try again.");
    // Reads are retried twice.
    await page.waitForTimeout(1500);
    expect(await page.getByRole('alert').count()).toBe(1);
    await page.context().setOffline(true);
    await press(page, 'Send SMS');
    await shows(page, "You're offline. Check your connection and try again.");
    await page.context().setOffline(false);
    await page.unroute('**/api/**');
    await press(page, 'Retry');
    await page.getByRole('row', { name: /Delivered/ }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('a draft stays in the tab until it is sent, and is restored from a sent message', async () => {
    const { page } = await member('/messages', { planRank: 2 });
    const typed = async () => [await recipient(page).inputValue(), await textOf(page).inputValue()];
    const to = numberFor('02');
    await recipient(page).fill(to);
    await textOf(page).fill('Not sent yet');
    await page.getByLabel('Reference').fill('order-1');
    await goTo(page, 'Usage');
    await goTo(page, 'Messages');
    await eventually(typed).toEqual([to, 'Not sent yet']);
    await page.reload();
    await eventually(typed).toEqual([to, 'Not sent yet']);
    await press(page, 'Send SMS');
    const status = page.getByRole('status').filter({ hasText: `SMS to ${to}` });
    await status.filter({ hasText: 'The phone was off or unreachable. Send it again later.' }).waitFor();
    await recipient(page).fill(numberFor('05'));
    await textOf(page).fill('Another');
    await press(page, 'Send SMS');
    await shows(page, /The carrier did not accept the message/);
    expect(await status.count()).toBe(0);
    await recipient(page).fill('');
    await textOf(page).fill('');
    await page.reload();
    await eventually(typed).toEqual(['', '']);
    const open = (row: RegExp) => page.getByRole('row', { name: row }).getByRole('button').click();
    await open(/Not sent yet/);
    await page.getByRole('dialog').getByText('The phone was off or unreachable.').waitFor();
    await press(page, 'Send again');
    await eventually(typed).toEqual([to, 'Not sent yet']);
    await page.locator('textarea:focus').waitFor();
    expect(await page.getByLabel('Reference').inputValue()).toBe('order-1');
    expect(await page.getByRole('row', { name: /Not sent yet/ }).count()).toBe(1);
    await send(page, numberFor('03'), 'Unwanted');
    await page.getByText(/^The recipient has opted out of messages/).waitFor();
    await open(/Unwanted/);
    await page
      .getByRole('dialog')
      .getByText(/must opt in again first/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await textOf(page).fill('Of the first person');
    await become(page, await service.person({ planRank: 2 }));
    await page.reload();
    await eventually(typed).toEqual(['', '']);
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Of the first person');
  });

  test('each refusal is next to its cause, with the remedy', async () => {
    const { page, person } = await member('/messages', { planRank: 2 });
    await press(page, 'Send SMS');
    await shows(page, 'Enter a phone number');
    await shows(page, 'Text is required');
    const ofRecipient: [to: string, refusal: RegExp][] = [
      ['+1 115 555 0100', /^Recipient is not a valid phone number; check the country code and the digits$/],
      ['+7 916 123 45 67', /^Recipient is a number in Russia; messages are sent only to: Austria, .*, United States$/],
      ['+1 900 555 0100', /^Recipient is a premium-rate, shared-cost or toll-free number/],
      [numberFor('03'), /^The recipient has opted out of messages/],
      [numberFor('06'), /^Recipient is a number that costs more than the limit per message/],
    ];
    for (const [to, refusal] of ofRecipient) {
      await send(page, to, 'Hello');
      await page.getByText(refusal).waitFor();
      await eventually(() => recipient(page).getAttribute('aria-invalid')).toBe('true');
    }
    await send(page, numberFor('02'), 'Hello');
    await shows(page, 'The phone was off or unreachable. Send it again later.');
    await send(page, numberFor('05'), 'Hello');
    await shows(page, /The carrier did not accept the message. Nothing was charged. Try again later/);
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    await textOf(page).fill(`It’s ${'a'.repeat(200)}`);
    await shows(page, 'Text would be 4 segments in UCS-2; an SMS may have at most 3');
    await shows(page, /UCS-2 because of ⁨’⁩ \(U\+2019\)/);
    await press(page, 'Use plain punctuation: 2 segments');
    await shows(page, '205 of 306 characters, GSM-7, 2 segments');
    const to = numberFor();
    for (let count = 0; count < 5; count += 1)
      await service.call('POST', '/api/messages', { key: person.key, body: { channel: 'sms', to, text: 'Hi' } });
    await send(page, to, 'One more');
    const limited =
      'You have sent 5 messages to this number this hour, the limit per account. This message was not sent.';
    await page.getByText(limited).waitFor();
    await shows(page, /Try again in \d+ /);
  });
}
