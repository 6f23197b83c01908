import { expect, test } from 'vitest';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { findings } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

const phone = { viewport: { width: 360, height: 740 } };

export function localPageTests(stage: () => Stage): void {
  test('the inbox shows a new email without a reload, with the product’s name, and leaves the open one open', async () => {
    const { service, visit, shoot } = stage();
    const page = await visit();
    await page.goto('/_local/inbox');
    await shows(page, 'Text AI platform');
    const first = await service.registered();
    await shows(page, 'Confirm your email address');
    const frame = page.locator('details.mail').first().frameLocator('iframe');
    await frame.getByText('Text AI platform').waitFor();
    await frame.getByRole('link', { name: 'Confirm address' }).waitFor();
    await shoot(page, 'local-inbox');
    expect(await findings(page)).toEqual([]);

    const small = await visit(undefined, phone);
    await small.goto('/_local/inbox');
    await small.locator('details.mail').first().frameLocator('iframe').getByText('Confirm address').waitFor();
    await shoot(small, 'local-inbox-phone');
    expect(await small.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
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
    const { service, visit, shoot } = stage();
    const person = await service.registered();
    await service.call('POST', '/api/auth/forgot-password', { body: { email: person.email } });
    await mailsTo(service, person.email);
    const mails = (await (await fetch(`${service.origin}/_local/mail`)).json()) as { subject: string; html: string }[];
    for (const [kind, subject] of [
      ['confirmation', 'Confirm your email address'],
      ['reset', 'Reset your password'],
    ] as const)
      for (const width of [360, 1360]) {
        const page = await visit(undefined, { viewport: { width, height: 740 } });
        await page.setContent(mails.find((mail) => mail.subject === subject)!.html);
        await shoot(page, `mail-${kind}-${width}`);
        await page.getByRole('heading', { name: subject }).waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
        expect(await findings(page)).toEqual([]);
      }
  });

  test('the clock page moves the clock by a day and by a month, and shows when that is done', async () => {
    const { service, visit, shoot } = stage();
    const now = async () => {
      const reply = (await (await fetch(`${service.origin}/_local/clock`)).json()) as { now: string };
      return Date.parse(reply.now);
    };
    const page = await visit();
    await page.goto('/_local/clock');
    const before = await now();
    await press(page, '+1 day');
    await shows(page, 'Done: everything due until then has happened.');
    expect((await now()) - before).toBeGreaterThanOrEqual(86_400_000);
    await press(page, '+1 month');
    await eventually(async () => (await now()) - before).toBeGreaterThan(28 * 86_400_000);
    await shows(page, 'Done: everything due until then has happened.');
    await shoot(page, 'local-clock');
    expect(await findings(page)).toEqual([]);
    const small = await visit(undefined, phone);
    await small.goto('/_local/clock');
    await shoot(small, 'local-clock-phone');
    expect(await small.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  });
}
