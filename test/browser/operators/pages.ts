import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { chat, type Person } from '#test/service/service.ts';
import { changeTheme, findings, still } from '../pages/findings.ts';
import { eventually, press, type Stage, shows } from '../stage.ts';

const tabs = ['overview', 'ledger', 'keys', 'requests', 'mails', 'audit'] as const;

export function operatorTests(stage: () => Stage): void {
  let operator: Person;
  let customer: Person;

  beforeAll(async () => {
    const { service } = stage();
    [operator, customer] = [await service.person(), await service.person({ planRank: 2 })];
    await (await services().operators()).actions().setRole(operator.email, 'operator');
    const { key } = customer;
    await service.call('POST', '/v1/chat/completions', { key, body: chat() });
    await service.call('POST', '/v1/chat/completions', { key, body: { ...chat(), temperature: 3 } });
    await service.settled();
    const body = { credits: 5, reason: 'A welcome, after the call of 12 November with their new team' };
    const { cookie } = operator;
    await service.call('POST', `/api/operator/accounts/${customer.id}/credits`, { cookie, body });
  }, 60_000);

  async function find(page: Page, typed: string): Promise<void> {
    await page.goto('/operator');
    await page.getByLabel('Email, account ID or key').fill(typed);
    await press(page, 'Find');
  }

  async function open(page: Page, { id }: Person, tab?: (typeof tabs)[number]): Promise<void> {
    await page.goto(`/operator?account=${id}${tab ? `&tab=${tab}` : ''}`);
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
  }

  /** Opens a dialog of the account's page, gives the reason, and does it. */
  async function act(page: Page, opener: string, action: string, reason: string): Promise<void> {
    await press(page, opener);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: action }).click();
  }

  test('is nowhere for who is no operator: no link, no page, and none of its code', async () => {
    const page = await stage().visit(customer);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.goto('/');
    await page.getByRole('link', { name: 'Usage', exact: true }).waitFor();
    await page.locator('h1').waitFor();
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    expect(loaded.filter((path) => path.includes('operator'))).toEqual([]);
    await page.goto('/operator?account=123');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    const about = loaded.filter((path) => path.includes('operator') && path !== '/operator');
    expect(about.every((path) => /\/operator-only-[\w-]+\.js$/.test(path))).toBe(true);
  });

  test('finds an account by address, id and key, of which no more than the beginning is sent', async () => {
    const page = await stage().visit(operator);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
    for (const typed of [customer.email, String(customer.id), customer.key, customer.key.slice(0, 13)]) {
      await find(page, ` ${typed} `);
      await page.getByRole('heading', { name: customer.email }).waitFor();
      expect(new URL(page.url()).search).toBe(`?account=${customer.id}`);
    }
    expect(sent.filter((text) => text.includes(customer.key.slice(0, 18)))).toEqual([]);
    await find(page, 'nobody@example.com');
    await shows(page, 'No account found');
    await find(page, 'somebody');
    await shows(page, /^Enter an email/);
  });

  test.each(tabs)(
    'has the tab %s in the URL, and nothing in it that axe finds serious, on a phone too',
    async (tab) => {
      const { visit, shoot } = stage();
      const page = await visit(operator);
      await open(page, customer, tab);
      await eventually(() => page.locator('.mantine-Skeleton-root[data-visible]').count()).toBe(0);
      await shoot(page, `operator-${tab}-light`);
      const light = await findings(page);
      await changeTheme(page, 'dark');
      await shoot(page, `operator-${tab}-dark`);
      expect([...light, ...(await findings(page))]).toEqual([]);
      await changeTheme(page, 'light');
      await page.setViewportSize({ width: 360, height: 740 });
      await page.reload();
      await eventually(() => page.getByRole('tab', { selected: true }).getAttribute('id')).toMatch(
        new RegExp(`${tab}$`),
      );
      await eventually(() => page.locator('.mantine-Skeleton-root[data-visible]').count()).toBe(0);
      await still(page);
      await shoot(page, `operator-${tab}-phone`);
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    },
  );

  test('keeps the filter of the requests in the URL, and takes it out with the tab', async () => {
    const page = await stage().visit(operator);
    await open(page, customer, 'requests');
    const table = page.getByRole('table', { name: /^Requests/ });
    await eventually(() => table.getByRole('row').count()).toBe(3);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('4xx: client error');
    await eventually(() => table.getByRole('row').count()).toBe(2);
    await page.reload();
    await eventually(() => table.getByRole('row').count()).toBe(2);
    await page.getByRole('tab', { name: 'Ledger' }).click();
    await page.getByRole('table', { name: /^Credit history/ }).waitFor();
    expect(new URL(page.url()).search).toBe(`?account=${customer.id}&tab=ledger`);
  });

  test('does nothing without a reason, and lists what it did', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.person();
    const page = await visit(operator);
    await open(page, person);
    await press(page, 'Grant credits');
    const dialog = page.getByRole('dialog', { name: 'Grant credits?' });
    await dialog.getByRole('button', { name: 'Grant credits' }).click();
    await dialog.getByText('Reason is required').waitFor();
    await dialog.getByText('Credits is required').waitFor();
    for (const [typed, rule] of [
      ['0', 'at least 1'],
      ['1.5', 'a whole number'],
    ] as const) {
      await dialog.getByRole('textbox', { name: 'Credits' }).fill(typed);
      await dialog.getByRole('button', { name: 'Grant credits' }).click();
      await dialog.getByText(`Credits must be ${rule}`).waitFor();
    }
    await dialog.getByRole('textbox', { name: 'Credits' }).fill('2500');
    await dialog.getByLabel('Reason').fill('An outage on Monday, ticket 4711');
    await still(page);
    await shoot(page, 'operator-grant-light');
    const light = await findings(page);
    await changeTheme(page, 'dark');
    await shoot(page, 'operator-grant-dark');
    expect([...light, ...(await findings(page))]).toEqual([]);
    await dialog.getByRole('button', { name: 'Grant credits' }).click();
    await shows(page, `Credits were granted to ${person.email}.`);
    await shows(page, '2,600');

    await press(page, 'Assign plan');
    await page.getByRole('dialog').getByLabel('Reason').fill('Contract of 1 December');
    await page.getByRole('combobox', { name: 'Plan' }).click();
    await page.getByRole('option', { name: 'Enterprise' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Assign plan' }).click();
    await shows(page, `Plan assigned to ${person.email}.`);

    await act(page, 'Suspend', 'Suspend account', 'Spam to many, ticket 4712');
    await shows(page, `${person.email} is suspended.`);
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect((await service.call('GET', '/v1/models', { key: person.key })).status).toBe(401);

    await page.getByRole('tab', { name: 'Audit trail' }).click();
    const table = page.getByRole('table', { name: /^Audit trail/ });
    await eventually(() => table.getByRole('row').count()).toBe(4);
    await shows(page, 'Status active → suspended');
    await shows(page, /Plan Freemium → Enterprise/);
    await shows(page, 'Credits 100 → 2,600');
    await shows(page, 'An outage on Monday, ticket 4711');
    await shoot(page, 'operator-trail-light');
    await act(page, 'Resume', 'Resume account', 'It was not them');
    await shows(page, `${person.email} is resumed.`);
    await page.goto('/operator');
    await page.getByRole('table', { name: /^Audit trail/ }).waitFor();
    await shows(page, 'It was not them');
    await shoot(page, 'operator-home-dark');
    const dark = await findings(page);
    await changeTheme(page, 'light');
    await shoot(page, 'operator-home-light');
    expect([...dark, ...(await findings(page))]).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    await still(page);
    await shoot(page, 'operator-home-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
  });

  test('grants once, also when the response is lost and the button is pressed again', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(operator);
    await open(page, person);
    let lost = 0;
    await page.route('**/credits', async (route) => {
      if (lost++ > 0) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await press(page, 'Grant credits');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Credits' }).fill('7');
    await dialog.getByLabel('Reason').fill('Once');
    await dialog.getByRole('button', { name: 'Grant credits' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Grant credits' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await services().metering().find(person.id))!.spendable).toBe(107_000_000);
  });

  test('shows that another operator was faster, and what can be done instead', async () => {
    const { service, visit } = stage();
    const person = await service.person();
    const page = await visit(operator);
    await open(page, person);
    await service.call('POST', `/api/operator/accounts/${person.id}/suspend`, {
      cookie: operator.cookie,
      body: { reason: 'From elsewhere' },
    });
    await act(page, 'Suspend', 'Suspend account', 'Spam');
    await page
      .getByRole('dialog')
      .getByText(/already suspended/)
      .waitFor();
    await press(page, 'Cancel');
    await page.reload();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
  });

  test('suspends a key of the account, and offers nothing on one’s own', async () => {
    const { service, visit, shoot } = stage();
    const person = await service.person();
    const page = await visit(operator);
    await open(page, person, 'keys');
    await act(page, 'Suspend test', 'Suspend key', 'Published on a forum');
    await shows(page, '“test” is suspended.');
    await page.getByRole('cell', { name: 'Suspended' }).waitFor();
    expect((await service.call('GET', '/v1/models', { key: person.key })).status).toBe(401);
    await open(page, operator, 'keys');
    await shows(page, 'Only another operator can change it');
    expect(await page.getByRole('button', { name: /^(Suspend|Grant|Assign)/ }).count()).toBe(0);
    await shoot(page, 'operator-own');
  });
}
