import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chat } from '#test/service/service.ts';
import { type Receiver, respondWith, startReceiver } from '#test/webhooks/receiver.ts';
import { expectFits, expectReadable } from '../pages/findings.ts';
import { eventually, member, open, press, service, shows, visit } from '../stage.ts';

/** The plan smm_pass. */
const planRank = 3;

/** The life of webhooks, with a receiver that fails. */
export function webhookTests(): void {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver.close());

  test('a webhook is created, a signed event arrives, and a failed delivery is retried and redelivered', async () => {
    const began = performance.now();
    const { page, person } = await member('/webhooks', { planRank, credits: 5 });
    const call = () => service.call('POST', '/v1/chat/completions', { key: person.key, body: chat() });
    await shows(page, 'No webhooks yet');
    await page.getByRole('button', { name: 'Create webhook' }).first().click();
    await page.getByRole('switch', { name: /^All events/ }).click();
    await press(page, /^Create$/);
    await shows(page, 'Choose at least one option');
    await page.getByRole('switch', { name: /^All events/ }).click();
    await page.getByLabel('URL').fill('example.com/hook');
    await press(page, /^Create$/);
    await shows(page, 'Enter a full URL, such as https://example.com/hook.');
    await page.getByLabel('URL').fill('http://10.0.0.1/');
    await press(page, /^Create$/);
    await shows(page, /must begin with https:/);
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Description').fill('billing');
    await press(page, /^Create$/);
    const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
    await press(page, 'Done');

    for (let count = 0; count < 4; count++) await call();
    await eventually(() => receiver.events().map(({ type }) => type)).toEqual(['credits.low']);
    const { body, headers } = receiver.received[0]!;
    expect(new Verifier(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      data: { balance: 1 },
    });
    await press(page, 'Refresh');
    await page.getByRole('row', { name: /credits\.low Delivered 204/ }).waitFor();

    receiver.respond(respondWith(500, {}, 'out of order'));
    await call();
    await eventually(() => receiver.received.length).toBe(2);
    await press(page, 'Refresh');
    const row = page.getByRole('row', { name: /credits\.exhausted/ });
    await page.getByRole('row', { name: /credits\.exhausted Pending 500 1 / }).waitFor();
    await service.post('/_local/clock', { advance: 'PT6S' });
    await page.getByRole('row', { name: /credits\.exhausted Pending 500 2 / }).waitFor();
    await row.getByRole('button').click();
    await shows(page, 'out of order');
    receiver.respond(respondWith(204));
    await press(page, 'Redeliver');
    await page.getByRole('dialog').getByText('Delivered').waitFor();
    expect(new Set(receiver.received.slice(1).map((one) => one.headers['webhook-id'])).size).toBe(1);
    console.log(`a webhook from its creation to a redelivery: ${((performance.now() - began) / 1000).toFixed(1)} s`);
    expect(performance.now() - began).toBeLessThan(120_000);
  });

  test('a webhook is tested, edited, disabled, and its secret rotated, in both themes and on a phone', async () => {
    const person = await service.person({ planRank });
    const created = { url: receiver.url, events: ['key.created'], description: 'billing' };
    expect((await service.call('POST', '/api/webhooks', { key: person.key, body: created })).status).toBe(201);
    receiver.received.length = 0;
    const page = await open('/webhooks', person);
    const choose = async (item: string) => {
      await press(page, 'Actions for billing');
      await page.getByRole('menuitem', { name: item }).click();
    };
    await choose('Send test');
    const delivery = page.getByRole('row', { name: /webhook\.test Delivered/ });
    await delivery.waitFor();
    await expectReadable(page, 'webhooks-full');
    await page.getByRole('button', { name: 'Create webhook' }).first().click();
    await page.getByRole('switch', { name: /^All events/ }).click();
    await expectReadable(page, 'webhooks-new');
    await page.keyboard.press('Escape');
    await delivery.getByRole('button').click();
    await page.getByRole('dialog').getByText('Request body').waitFor();
    await expectReadable(page, 'webhooks-drawer');
    await page.keyboard.press('Escape');

    await choose('Rotate secret');
    await press(page, /^Rotate$/);
    const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
    await press(page, 'Done');
    await choose('Send test');
    await eventually(() => receiver.received.length).toBe(2);
    const { body, headers } = receiver.received[1]!;
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    new Verifier(secret).verify(body, headers as Record<string, string>);
    await choose('Edit');
    await page.getByLabel('Description').fill('money');
    await press(page, 'Save');
    await press(page, 'Actions for money');
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('row', { name: /money Disabled/ }).waitFor();
    const [{ status }] = (await service.call('GET', '/api/webhooks', { key: person.key })).body.data.items;
    expect(status).toBe('disabled');
    await expectFits(page, 'webhooks-full');
  });

  test('a long URL is shown once if it is the name, and stays inside its panel at any width', async () => {
    const person = await service.person({ planRank });
    const page = await visit(person);
    const url = `https://example.com/${'a'.repeat(180)}`;
    const create = async (description: string | null) =>
      service.call('POST', '/api/webhooks', { key: person.key, body: { url, events: ['key.created'], description } });
    await create(null);
    await page.goto('/webhooks');
    const table = page.getByRole('table', { name: 'Webhooks' });
    await table.getByText(url).waitFor();
    expect(await table.getByText(url).count()).toBe(1);
    await create('billing');
    await page.reload();
    await table.getByText('billing').waitFor();
    expect(await table.getByTitle(url).count()).toBe(2);
    for (const width of [360, 768, 900, 1000, 1280, 1360]) await expectFits(page, 'webhooks-long-url', width);
  });

  test('a plan without webhooks offers larger plans', async () => {
    const { page } = await member('/webhooks', { planRank: 2 });
    await shows(page, 'Webhooks aren’t included in your plan');
    await page.getByRole('link', { name: 'Compare plans' }).click();
    await page.waitForURL('**/plans');
  });
}
