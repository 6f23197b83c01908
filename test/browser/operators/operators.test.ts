import type { Page } from 'playwright-core';
import { beforeAll, expect, test, describe } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { chat, type Person } from '#test/service/service.ts';
import { expectReadable, looksWell } from '../pages/findings.ts';
import {
  eventually,
  heading,
  open,
  pick,
  press,
  requestsOf,
  service,
  shows,
  visit,
  useStage,
  act,
  newOperator,
} from '../stage.ts';

useStage();

describe('the pages of operators', () => {
  let operator: Person;
  let customer: Person;

  beforeAll(async () => {
    [operator, customer] = [await newOperator(), await service.person({ planRank: 2 })];
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

  /** The page of an account, as the operator sees it. */
  async function pageOf({ id }: Person, tab = 'overview'): Promise<Page> {
    const page = await open(`/operator?account=${id}&tab=${tab}`, operator);
    await page.getByRole('tab', { name: 'Overview' }).waitFor();
    return page;
  }

  test('are hidden from everyone else, in navigation, pages and code', async () => {
    const page = await visit(customer);
    const requests = requestsOf(page);
    const ofOperators = () => requests.map((url) => new URL(url).pathname).filter((path) => path.includes('operator'));
    await page.goto('/');
    await page.getByRole('link', { name: 'Usage', exact: true }).waitFor();
    await page.locator('h1').waitFor();
    expect(await page.getByRole('link', { name: 'Operator' }).count()).toBe(0);
    expect(ofOperators()).toEqual([]);
    await page.goto('/operator?account=123');
    await heading(page, 'Page not found');
    const code = ofOperators().filter((path) => path !== '/operator');
    expect(code.every((path) => /\/operator-only-[\w-]+\.js$/.test(path))).toBe(true);
  });

  test('list all accounts with filters, an order and totals, and open one', async () => {
    const page = await open('/operator', operator);
    await shows(page, 'The list is not ready yet');
    await shows(page, /The next update is on \d+ \w+, \d\d:\d\d\./);
    await (await services().operators()).directory().update();
    await page.reload();
    const accounts = page.getByRole('region', { name: 'Accounts' });
    await accounts.getByRole('link', { name: customer.email }).waitFor();
    await accounts.getByText('New in 7 days').waitFor();
    await looksWell(page, 'operator-accounts');
    await accounts.getByLabel('Sort by').selectOption('Spent this month');
    await eventually(() => accounts.getByRole('link').first().textContent()).toBe(customer.email);
    expect(await accounts.getByLabel('Registered').count()).toBe(0);
    await accounts.getByLabel('State').selectOption('Suspended');
    await shows(page, 'No accounts match these filters');
    await expectReadable(page, 'operator-accounts-none');
    await press(page, 'Clear filters');
    await accounts.getByRole('link', { name: customer.email }).click();
    await heading(page, customer.email);
  });

  test('find an account by address, id and key, and send only the beginning of the key', async () => {
    const page = await visit(operator);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url() + (request.postData() ?? '')));
    for (const typed of [customer.email, String(customer.id), customer.key, customer.key.slice(0, 13)]) {
      await find(page, ` ${typed} `);
      await heading(page, customer.email);
      expect(new URL(page.url()).search).toBe(`?account=${customer.id}`);
    }
    expect(sent.filter((text) => text.includes(customer.key.slice(0, 18)))).toEqual([]);
    await find(page, 'nobody@example.com');
    await shows(page, 'There is no such account.');
    await find(page, 'somebody');
    await shows(page, /^Enter an email/);
  });

  test('have each tab in the URL', async () => {
    for (const tab of ['overview', 'ledger', 'keys', 'requests', 'mails', 'audit']) {
      const page = await pageOf(customer, tab);
      await eventually(() => page.getByRole('tab', { selected: true }).getAttribute('id')).toMatch(
        new RegExp(`${tab}$`),
      );
      await page.close();
    }
  }, 60_000);

  test('keep the filter of the requests in the URL, and remove it with the tab', async () => {
    const page = await pageOf(customer, 'requests');
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

  test('require a reason for every action, and list past actions', async () => {
    const person = await service.person();
    const page = await pageOf(person);
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
    await dialog.getByText(/A person can read it in a download/).waitFor();
    await dialog.getByRole('textbox', { name: 'Credits' }).fill('2500');
    await dialog.getByLabel('Reason').fill('An outage on Monday, ticket 4711');
    await expectReadable(page, 'operator-grant');
    await dialog.getByRole('button', { name: 'Grant credits' }).click();
    await shows(page, `Credits were granted to ${person.email}.`);
    await shows(page, '2,600');

    await press(page, 'Assign plan');
    await page.getByRole('dialog').getByLabel('Reason').fill('Contract of 1 December');
    await pick(page, 'Plan', 'Enterprise');
    await page.getByRole('dialog').getByRole('button', { name: 'Assign plan' }).click();
    await shows(page, `Plan assigned to ${person.email}.`);

    await act(page, 'Suspend', 'Suspend account', { Reason: 'Spam to many, ticket 4712' });
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
    await act(page, 'Resume', 'Resume account', { Reason: 'It was not them' });
    await shows(page, `${person.email} is resumed.`);
    await page.goto('/operator');
    await page.getByRole('table', { name: /^Audit trail/ }).waitFor();
    await shows(page, 'It was not them');
    await looksWell(page, 'operator-home');
  });

  test('grant once, even if the response is lost and the button is pressed again', async () => {
    const person = await service.person();
    const page = await pageOf(person);
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

  test('report an action that another operator has already performed, and offer alternatives', async () => {
    const person = await service.person();
    const page = await pageOf(person);
    await service.call('POST', `/api/operator/accounts/${person.id}/suspend`, {
      cookie: operator.cookie,
      body: { reason: 'From elsewhere' },
    });
    await act(page, 'Suspend', 'Suspend account', { Reason: 'Spam' });
    await page
      .getByRole('dialog')
      .getByText(/already suspended/)
      .waitFor();
    await press(page, 'Cancel');
    await page.reload();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
  });

  test("suspend a key of an account, and offer no actions on the operator's own account", async () => {
    const person = await service.person();
    const page = await pageOf(person, 'keys');
    await act(page, 'Suspend test', 'Suspend key', { Reason: 'Published on a forum' });
    await shows(page, '“test” is suspended.');
    await page.getByRole('cell', { name: 'Suspended' }).waitFor();
    await eventually(() => page.getByRole('button', { name: /^Suspend test/ }).count()).toBe(0);
    expect((await service.call('GET', '/v1/models', { key: person.key })).status).toBe(401);
    const owned = await open('/keys', person);
    await press(owned, 'Actions for test');
    await owned.getByText('Suspended by an operator. Create a new key.').waitFor();
    const offered = await owned.getByRole('menuitem').allTextContents();
    expect(offered).toEqual(['Rename', 'Edit limits', 'Store prompts', 'Revoke']);
    const own = await pageOf(operator, 'keys');
    await shows(own, 'Only another operator can change it');
    expect(await own.getByRole('button', { name: /^(Suspend|Grant|Assign)/ }).count()).toBe(0);
  });
});

describe('the work of an operator', () => {
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
});
