import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { atLength } from '#test/many.ts';
import { small } from '#test/payments/paying-service.ts';
import { usePayingWorld } from '#test/payments/paying-world.ts';
import { RequestRecorder, send, type StripeRequest } from '#test/payments/request-recorder.ts';

const recorder = new RequestRecorder();
const world = usePayingWorld({ through: (url) => recorder.start(url) });
afterAll(() => recorder.close());

const stripeMock = 'github.com/stripe/stripe-mock@v0.203.0';
const go = 'go';
const hasGo = spawnSync(go, ['version']).status === 0;
/** A parameter that is newer than the specification of this version, which is of August 2026. */
const newer = 'allowed_payment_method_types[0]';

const topUp = (id: number) => world.payments.purchases.topUp(id, small, async () => undefined);

async function choosePlans(): Promise<void> {
  const { payments, plans, stripe } = world;
  const id = await world.subscriber('dev_pass');
  await plans.upgrade(id, 'smm_pass');
  await plans.downgrade(id, 'dev_pass');
  const { id: subscription = '' } = (await plans.current(id)) ?? {};
  await plans.cancel(id, subscription);
  await stripe.subscriptions.cancel((await world.profile(id)).subscription ?? '');
  await world.drain();
  await plans.resume(id, subscription);
  await payments.purchases.portal(id);
  await world.open(id);
  await payments.stopCollecting(id);
}

/** A declined charge, one that needs confirmation, and one whose requests fail before its payment. */
async function failCharges(): Promise<void> {
  const id = await world.cardholder();
  await world.useCard(id, 'pm_card_chargeCustomerFail');
  await topUp(id).catch(() => undefined);
  await world.useCard(id, 'pm_card_authenticationRequired');
  await topUp(id).catch(() => undefined);
  await world.useCard(id, 'pm_card_visa');
  world.stand.faults.order({ fault: 'conflict', count: 3, path: '/v1/invoiceitems', method: 'POST' });
  await topUp(id).catch(() => undefined);
  world.stand.faults.clear();
  await world.move({ minutes: 6 });
}

async function returnMoney(): Promise<void> {
  const id = await world.subscriber('dev_pass');
  const pack = await world.buy(id);
  await world.script(pack, 'disputed');
  await world.script(pack, 'won');
  const plan = (await world.orders(id)).find(({ kind }) => kind === 'plan');
  await world.stripe.refunds.create({ payment_intent: plan?.provider.payment ?? '', amount: 1 });
  await world.drain();
  await world.script(await world.buy(id), 'fraud_warning');
}

/** A renewal whose price changes after Stripe has drafted its invoice. */
async function changeDraft(): Promise<void> {
  const id = await world.subscriber('dev_pass');
  const { subscription } = await world.meter(id);
  await world.moveTo(((subscription?.paidUntil ?? 0) - 30) * 1000);
  world.stand.faults.order({ fault: 'conflict', count: 3, path: '/v1/subscriptions/', method: 'POST' });
  await world.plans.upgrade(id, 'smm_pass');
  world.stand.faults.clear();
  await world.move({ minutes: 30 });
  await world.move({ hours: 2 });
}

/** An upgrade below Stripe's minimum that is settled in the next month. */
async function creditBalance(): Promise<void> {
  const id = await world.subscriber('dev_pass');
  const { subscription } = await world.meter(id);
  await world.moveTo(((subscription?.paidUntil ?? 0) - 3 * 3600) * 1000);
  world.stand.faults.order({ fault: 'events_held' });
  world.stand.faults.order({ fault: 'error', count: 1000, method: 'GET', path: '/v1/invoices/' });
  await world.plans.upgrade(id, 'smm_pass').catch(() => undefined);
  await world.jump(0.15);
  world.stand.faults.clear();
  world.stand.faults.release();
  await world.drain();
}

describe('the requests of the gateway to Stripe', () => {
  it('are recorded, one of each kind', async () => {
    await choosePlans();
    await failCharges();
    await returnMoney();
    await changeDraft();
    await creditBalance();
    await world.payments.reconciliation.fromProvider(0);
    expect(recorder.routes()).toMatchInlineSnapshot(`
      [
        "DELETE /v1/invoices/{id}",
        "DELETE /v1/subscriptions/{id}",
        "GET /v1/checkout/sessions",
        "GET /v1/checkout/sessions/{id}",
        "GET /v1/customers/{id}",
        "GET /v1/customers/{id}/balance_transactions",
        "GET /v1/customers/{id}/payment_methods",
        "GET /v1/disputes",
        "GET /v1/disputes/{id}",
        "GET /v1/events",
        "GET /v1/invoice_payments",
        "GET /v1/invoices",
        "GET /v1/invoices/{id}",
        "GET /v1/payment_intents/{id}",
        "GET /v1/radar/early_fraud_warnings/{id}",
        "GET /v1/refunds/{id}",
        "GET /v1/subscriptions",
        "GET /v1/subscriptions/{id}",
        "POST /v1/billing_portal/sessions",
        "POST /v1/checkout/sessions",
        "POST /v1/checkout/sessions/{id}/expire",
        "POST /v1/customers",
        "POST /v1/customers/{id}",
        "POST /v1/customers/{id}/balance_transactions",
        "POST /v1/invoiceitems",
        "POST /v1/invoices",
        "POST /v1/invoices/{id}/finalize",
        "POST /v1/invoices/{id}/pay",
        "POST /v1/invoices/{id}/void",
        "POST /v1/products",
        "POST /v1/refunds",
        "POST /v1/subscriptions",
        "POST /v1/subscriptions/{id}",
      ]
    `);
    expect(recorder.requests.size).toBeGreaterThan(recorder.routes().length);
  }, 60_000);

  it.skipIf(!atLength(false, hasGo))(
    'are valid by Stripe’s own specification (npm run test:long; skipped without Go)',
    async () => {
      const folder = await testFolder();
      const env = { ...process.env, GOBIN: folder, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local' };
      await promisify(execFile)(go, ['install', stripeMock], { env });
      const loopback = ['-http-addr', '127.0.0.1:0', '-https-addr', '127.0.0.1:0'];
      const mock = spawn(join(folder, 'stripe-mock'), loopback, { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        let origin = '';
        for await (const line of createInterface(mock.stdout)) {
          const [, address = ''] = /HTTP at address: (\S+)/.exec(line) ?? [];
          if (address !== '') origin = `http://${address}`;
          if (origin !== '') break;
        }
        const refused: string[] = [];
        for (const [kind, request] of recorder.requests) {
          const response = await send(origin, withoutNewer(request));
          const reply = await response.text();
          if (response.status !== 200) refused.push(`${kind}: ${reply}`);
        }
        expect(refused).toEqual([]);
        const invalid = { method: 'POST', path: '/v1/customers', headers: recorded().headers, body: 'nonsense=1' };
        expect((await send(origin, invalid)).status).toBe(400);
      } finally {
        mock.kill();
        await once(mock, 'exit');
        await removeFolder(folder);
      }
    },
    600_000,
  );
});

function recorded(): StripeRequest {
  const request = recorder.requests.values().find(({ method }) => method === 'POST');
  if (!request) throw new Error('no request was recorded');
  return request;
}

function withoutNewer(request: StripeRequest): StripeRequest {
  const form = new URLSearchParams(request.body);
  if (!form.has(newer)) return request;
  form.delete(newer);
  return { ...request, body: form.toString() };
}
