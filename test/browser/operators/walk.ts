import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { services } from '#runtime/services/container.ts';
import type { Person } from '#test/service/service.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

/** Counts the clicks in a page that is not loaded again, those that the browser makes of Enter in a form left out. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    window.clicks = 0;
    addEventListener('click', (event) => { if (event.detail > 0) window.clicks++; }, true);
  `);
  return () => page.evaluate<number>('window.clicks');
}

export function operatorWalkTests(stage: () => Stage): void {
  async function operator(): Promise<Person> {
    const person = await stage().service.person();
    await (await services().operators()).actions().setRole(person.email, 'operator');
    return person;
  }

  /** Fills in the dialog that the button opens, and does it. */
  async function act(page: Page, opener: string, action: string, values: Record<string, string>): Promise<void> {
    await press(page, opener);
    const dialog = page.getByRole('dialog');
    for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value);
    await dialog.getByRole('button', { name: action }).click();
    await dialog.waitFor({ state: 'hidden' });
  }

  test('find an account, suspend and resume it, grant credits and see it in the trail: nine clicks, within half a minute', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(await operator());
    await page.goto('/');
    await page.getByRole('link', { name: 'Operator' }).waitFor();
    const clicks = await countClicks(page);
    const began = performance.now();

    await page.getByRole('link', { name: 'Operator' }).click();
    await page.getByLabel('Email, account ID or key').fill(person.email);
    await press(page, 'Find');
    await act(page, 'Suspend', 'Suspend account', { Reason: 'Spam to many, ticket 4712' });
    await act(page, 'Resume', 'Resume account', { Reason: 'It was not them' });
    await act(page, 'Grant credits', 'Grant credits', { Credits: '50', Reason: 'For the trouble' });
    await page.getByRole('tab', { name: 'Audit trail' }).click();
    const rows = page.getByRole('table', { name: /^Audit trail/ }).getByRole('row');
    await eventually(() => rows.count()).toBe(4);
    for (const reason of ['Spam to many, ticket 4712', 'It was not them', 'For the trouble']) await shows(page, reason);

    expect(performance.now() - began).toBeLessThan(30_000);
    expect(await clicks()).toBe(9);
    expect((await services().metering().find(person.id))!.spendable).toBe(150_000_000);
  });

  test('end with the role: what is sent from an open page is refused, and the page is gone with the next load', async () => {
    const { service, visit } = stage();
    const [person, former] = [await service.person(), await operator()];
    const page = await visit(former);
    await page.goto(`/operator?account=${person.id}`);
    await press(page, 'Suspend');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Spam');
    await (await services().operators()).actions().setRole(former.email, 'viewer');
    await dialog.getByRole('button', { name: 'Suspend account' }).click();
    await dialog.getByText('Only an operator may do this.').waitFor();
    expect((await service.call('GET', '/v1/models', { key: person.key })).status).toBe(200);
    await page.reload();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
  });
}
