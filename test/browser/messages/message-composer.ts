import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { numberFor } from '#test/messages/sender.ts';
import { become, eventually, goTo, member, press, service, shoot, shows } from '../stage.ts';
import { recipient, textOf } from './message-fields.ts';

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
    await shoot(page, 'messages-too-long');
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
    await shoot(page, 'messages-refused');
  });
}
