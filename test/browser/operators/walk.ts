import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { eventually, heading, open, press, service, shows } from '../stage.ts';
import { act, newOperator } from './actions.ts';

/** Counts the clicks in a page until it is reloaded, except those that the browser creates for Enter in a form. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    window.clicks = 0;
    addEventListener('click', (event) => { if (event.detail > 0) window.clicks++; }, true);
  `);
  return () => page.evaluate<number>('window.clicks');
}

export function operatorWalkTests(): void {
  test('finds an account, suspends and resumes it, grants credits and reads the trail: nine clicks, within half a minute', async () => {
    const person = await service.person();
    const page = await open('/', await newOperator());
    await page.getByRole('link', { name: 'Operator' }).waitFor();
    const clicks = await countClicks(page);
    const began = performance.now();

    await page.getByRole('link', { name: 'Operator' }).click();
    await page.getByLabel('Email, account ID or key').fill(person.email);
    await press(page, 'Find');
    for (const [opener, action, values] of [
      ['Suspend', 'Suspend account', { Reason: 'Spam to many, ticket 4712' }],
      ['Resume', 'Resume account', { Reason: 'It was not them' }],
      ['Grant credits', 'Grant credits', { Credits: '50', Reason: 'For the trouble' }],
    ] as const) {
      await act(page, opener, action, values);
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    }
    await page.getByRole('tab', { name: 'Audit trail' }).click();
    const rows = page.getByRole('table', { name: /^Audit trail/ }).getByRole('row');
    await eventually(() => rows.count()).toBe(4);
    for (const reason of ['Spam to many, ticket 4712', 'It was not them', 'For the trouble']) await shows(page, reason);

    expect(performance.now() - began).toBeLessThan(30_000);
    expect(await clicks()).toBe(9);
    expect((await services().metering().find(person.id))!.spendable).toBe(150_000_000);
  });

  test('ends with the role: requests from an open page are refused, and the next load hides the page', async () => {
    const [person, former] = [await service.person(), await newOperator()];
    const page = await open(`/operator?account=${person.id}`, former);
    await press(page, 'Suspend');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Spam');
    await (await services().operators()).actions().setRole(former.email, 'viewer');
    await dialog.getByRole('button', { name: 'Suspend account' }).click();
    await dialog.getByText('Only an operator may do this.').waitFor();
    expect((await service.call('GET', '/v1/models', { key: person.key })).status).toBe(200);
    await page.reload();
    await heading(page, 'Page not found');
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
  });
}
