import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { large, small, usePayingService } from '#test/payments/paying-service.ts';
import { reason, setRole } from '#test/requests/operator-actions.ts';
import { chat, code, type Person } from '#test/service/service.ts';

const service = usePayingService();

const create = (person: Person, planId: string) =>
  service.as('POST', '/api/subscription/create', person, { planId, billingCycle: 'monthly' });
const setTopUp = (person: Person, body: object | null) => service.as('PUT', '/api/payments/auto-top-up', person, body);
const ask = (person: Person) => service.as('POST', '/v1/chat/completions', person, chat());

describe('a plan over the API', () => {
  it('is started and upgraded with the saved card, and is refused with a link to checkout without one', async () => {
    const person = await service.person();
    const refused = await create(person, 'dev_pass');
    expect(code(refused)).toBe('409 PAYMENT_METHOD_REQUIRED');
    expect(refused.body.detail).toContain('/payments/checkout');
    await service.bought(person);

    expect(await create(person, 'dev_pass')).toMatchObject({ status: 200, body: { data: { planId: 'dev_pass' } } });
    const upgraded = await service.as('PUT', '/api/subscription/upgrade-plan', person, { newPlanId: 'smm_pass' });

    expect(upgraded).toMatchObject({ status: 200, body: { data: { planId: 'smm_pass' } } });
    const cents = Math.round(upgraded.body.data.proration.amount * 100);
    expect((await service.payments(person)).map(({ kind, amount, status }) => [kind, amount, status])).toEqual([
      ['upgrade', cents, 'granted'],
      ['plan', 2999, 'granted'],
      ['pack', small.cents, 'granted'],
    ]);
    expect((await service.collected(person)).items.data[0]?.price.unit_amount).toBe(9999);
  });

  it('ends with its period while the account is suspended', async () => {
    const [operator, person] = [await service.person(), await service.subscriber('dev_pass')];
    await setRole(operator, 'operator');
    const act = (action: string) =>
      service.call('POST', `/api/operator/accounts/${person.id}/${action}`, {
        cookie: operator.cookie,
        body: { reason },
      });
    const ends = async () => (await service.collected(person)).cancel_at_period_end;

    expect([(await act('suspend')).status, await ends()]).toEqual([200, true]);
    expect([(await act('resume')).status, await ends()]).toEqual([200, false]);
  });

  it('returns 402 if its upgrade is declined, and with the page to confirm it if it requires authentication', async () => {
    const person = await service.subscriber('dev_pass');
    const upgrade = () => service.as('PUT', '/api/subscription/upgrade-plan', person, { newPlanId: 'smm_pass' });
    await service.useCard(person, 'pm_card_chargeCustomerFail');
    expect(code(await upgrade())).toBe('402 PAYMENT_DECLINED');
    await service.useCard(person, 'pm_card_authenticationRequired');
    const asked = await upgrade();
    expect(code(asked)).toBe('402 PAYMENT_ACTION_REQUIRED');
    const [open] = await service.payments(person);
    expect(open).toMatchObject({ status: 'action_required' });
    expect(asked.body.detail).toContain(open.url);
  });

  it('is no longer charged after the account is deleted', async () => {
    const person = await service.subscriber('dev_pass');
    const { subscription = '' } = await service.profile(person);
    const { cookie, email, password } = person;
    const body = { email, password };
    expect((await service.call('POST', '/api/auth/delete-account', { cookie, body })).status).toBe(200);
    expect((await service.stripe().subscriptions.retrieve(subscription)).status).toBe('canceled');
  });
});

describe('the automatic top-up over the API', () => {
  it('buys once when calls cross the threshold, even concurrently', async () => {
    const person = await service.person();
    await service.bought(person);
    const start = 100 + small.credits;
    const rule = { threshold: start, pack: large.id, monthlyLimit: 100_000 };
    expect((await setTopUp(person, { ...rule, threshold: start - 1 })).body.data).toMatchObject({
      state: 'on',
      card: { brand: 'visa', last4: '4242' },
    });
    await service.quiet();
    expect(await service.payments(person)).toHaveLength(1);

    await Promise.all(Array.from({ length: 5 }, () => ask(person)));
    await Promise.all(Array.from({ length: 5 }, () => ask(person)));
    await service.quiet();
    await service.quiet();

    const kinds = (await service.payments(person)).map(({ kind, status }) => `${kind} ${status}`);
    expect(kinds).toEqual(['top_up granted', 'pack granted']);
  });

  it('is not started by a call that returns 402', async () => {
    const person = await service.person();
    await service.bought(person);
    await service.useCard(person, 'none');
    const { store } = await services().payments();
    await store.saveProfile(await service.profile(person), {
      topUp: { threshold: 1000, packId: small.id, monthlyLimit: 100_000, state: 'on', failures: 0 },
    });
    await service.drop(person);
    const before = await service.payments(person);

    for (let count = 0; count < 5; count++) expect((await ask(person)).status).toBe(402);
    await service.quiet();

    expect(await service.payments(person)).toEqual(before);
    expect((await service.profile(person)).topUp).toMatchObject({ state: 'on', failures: 0 });
    await setTopUp(person, null);
  });
});

it('bin/reconcile.ts settles payments after an outage and reports no differences', async () => {
  const person = await service.person();
  const { id } = await service.opened(person);
  await service.fault({ fault: 'event_dropped', count: 1000 });
  await service.script(id, 'paid');
  await service.quiet();
  await service.noFaults();
  expect((await service.order(person, id))?.state).toBe('created');

  const { stdout } = await promisify(execFile)(process.execPath, ['bin/reconcile.ts', '--days', '2'], {
    env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'SILENT' },
  });

  expect(stdout).toMatch(/^\d+ payments at the provider, \d+ orders, 0 differ\n$/);
  expect(await service.order(person, id)).toMatchObject({ state: 'granted' });
  const failed = await promisify(execFile)(process.execPath, ['bin/reconcile.ts', '--days', 'x']).catch(
    ({ code: exit }: { code: number }) => exit,
  );
  expect(failed).toBe(2);
});

it('ledgers are exact', async () => {
  expect(await service.differences()).toEqual([]);
});
