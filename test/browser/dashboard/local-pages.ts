import { expect, test } from 'vitest';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { expectFits, findings } from '../pages/findings.ts';
import { eventually, heading, open, phone, press, service, shows, visit } from '../stage.ts';

export function localPageTests(): void {
  test('the inbox shows a new email without a reload, with the product’s name, and keeps the current one open', async () => {
    const page = await open('/_local/inbox');
    await shows(page, 'Text AI platform');
    const first = await service.registered();
    await shows(page, 'Confirm your email address');
    const frame = page.locator('details.mail').first().frameLocator('iframe');
    await frame.getByText('Text AI platform').waitFor();
    await frame.getByRole('link', { name: 'Confirm address' }).waitFor();
    expect(await findings(page)).toEqual([]);

    const small = await open('/_local/inbox', undefined, phone);
    await small.locator('details.mail').first().frameLocator('iframe').getByText('Confirm address').waitFor();
    await expectFits(small, 'local-inbox');
    const inner = small.frames().find((candidate) => candidate.parentFrame() !== null)!;
    expect(await inner.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);

    const opened = page.locator('details.mail').first();
    const id = await opened.getAttribute('data-id');
    await opened.locator('summary').first().focus();
    await service.call('POST', '/api/auth/forgot-password', { body: { email: first.email } });
    await mailsTo(service, first.email);
    await page.locator('details.mail').first().getByText('Reset your password').waitFor();
    expect(await page.locator(`details.mail[data-id="${id}"]`).getAttribute('open')).toBe('');
    await page.locator('details.mail').first().getByRole('link', { name: 'Open link' }).click();
    await eventually(() => page.url()).toContain('/reset-password');
  });

  test('the emails fit a phone and a desktop, in one layout', async () => {
    const person = await service.registered();
    await service.call('POST', '/api/auth/forgot-password', { body: { email: person.email } });
    await mailsTo(service, person.email);
    const mails = (await (await fetch(`${service.origin}/_local/mail`)).json()) as { subject: string; html: string }[];
    const page = await visit();
    for (const subject of ['Confirm your email address', 'Reset your password'])
      for (const width of [360, 1360]) {
        await page.setViewportSize({ width, height: 740 });
        await page.setContent(mails.find((mail) => mail.subject === subject)!.html);
        await heading(page, subject);
        await expectFits(page, `mail ${subject}`, width);
        expect(await findings(page)).toEqual([]);
      }
  });

  test('the clock page moves the clock by a day and by a month, and confirms it', async () => {
    const now = async () => {
      const reply = (await (await fetch(`${service.origin}/_local/clock`)).json()) as { now: string };
      return Date.parse(reply.now);
    };
    const page = await open('/_local/clock');
    const before = await now();
    await press(page, '+1 day');
    await shows(page, 'Done: everything due until then has happened.');
    expect((await now()) - before).toBeGreaterThanOrEqual(86_400_000);
    await press(page, '+1 month');
    await eventually(async () => (await now()) - before).toBeGreaterThan(28 * 86_400_000);
    await shows(page, 'Done: everything due until then has happened.');
    expect(await findings(page)).toEqual([]);
    await expectFits(page, 'local-clock');
  });
}
