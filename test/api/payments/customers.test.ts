import { describe, expect, it } from 'vitest';
import { usePayingService } from '#test/payments/paying-service.ts';
import { emailChangeCalls } from '#test/requests/accounts/email-change.ts';
import { organizationCalls } from '#test/requests/organizations.ts';
import { code, type Person } from '#test/service/service.ts';

const service = usePayingService();
const { requested, confirm } = emailChangeCalls(() => service);

async function customerOf(person: Person) {
  const { customer = '' } = await service.profile(person);
  return service.stripe().customers.retrieve(customer);
}

describe('the customer at Stripe', () => {
  it('has the new email address once both addresses have confirmed it', async () => {
    const person = await service.person();
    await service.bought(person);
    expect(await customerOf(person)).toMatchObject({ email: person.email });
    const change = await requested(person);

    await confirm(change.old);
    await service.quiet();
    expect(await customerOf(person)).toMatchObject({ email: person.email });
    await confirm(change.new);
    await service.quiet();

    expect(await customerOf(person)).toMatchObject({ email: change.email });
  });

  it('of an organization has the new email address of its owner', async () => {
    const person = await service.person();
    const calls = organizationCalls(service);
    const id = await calls.create(person);
    const key = await calls.within(id, 'POST', '/api/keys', { cookie: person.cookie, body: { name: 'shared' } });
    const organization = { ...person, id, key: String(key.body.data.key) };
    const checkout = { cookie: person.cookie, body: { pack: 'credits_500' } };
    const opened = await calls.within(id, 'POST', '/api/payments/checkout', checkout);
    await service.script(opened.body.data.id, 'paid');
    expect(await customerOf(organization)).toMatchObject({ email: person.email });
    const change = await requested(person);

    await confirm(change.old);
    await confirm(change.new);
    await service.quiet();

    expect(await customerOf(organization)).toMatchObject({ email: change.email });
  });

  it('is deleted when its account is purged, and keeps its payments and invoices', async () => {
    const person = await service.person();
    const id = await service.bought(person);
    await service.as('PUT', '/api/payments/auto-top-up', person, {
      threshold: 1,
      pack: 'credits_500',
      monthlyLimit: 500,
    });
    const { invoice = '', payment = '' } = (await service.order(person, id))!.provider;
    const { email, password, cookie } = person;
    const deletion = { cookie, body: { email, password } };
    expect(code(await service.call('POST', '/api/auth/delete-account', deletion))).toBe('200 SUCCESS');
    await service.advance('P29D');
    expect(await customerOf(person)).toMatchObject({ email });

    await service.advance('P2D');

    expect(await customerOf(person)).toMatchObject({ deleted: true });
    expect(await service.stripe().paymentIntents.retrieve(payment)).toMatchObject({ status: 'succeeded' });
    expect(await service.stripe().invoices.retrieve(invoice)).toMatchObject({ status: 'paid' });
    expect((await service.profile(person)).topUp).toBeUndefined();
  });

  it('can have a payment disputed after it was deleted', async () => {
    const person = await service.person();
    const id = await service.bought(person);
    const { email, password, cookie } = person;
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    await service.advance('P31D');
    expect(await customerOf(person)).toMatchObject({ deleted: true });

    await service.script(id, 'disputed');
    await service.quiet();

    expect(await service.order(person, id)).toMatchObject({ state: 'disputed' });
  });

  it('is replaced once it was deleted at Stripe, and keeps the payments of the earlier one', async () => {
    const person = await service.person();
    const first = await service.bought(person);
    const { customer: deleted = '' } = await service.profile(person);
    await service.stripe().customers.del(deleted);
    await service.quiet();

    expect(code(await service.as('POST', '/api/payments/portal', person))).toBe('200 SUCCESS');
    const { customer } = await service.profile(person);
    expect(customer).not.toBe(deleted);
    const second = await service.bought(person);
    await service.script(first, 'refunded');
    await service.quiet();

    expect((await service.profile(person)).customer).toBe(customer);
    expect(await service.order(person, second)).toMatchObject({ state: 'granted' });
    expect(await service.order(person, first)).toMatchObject({ state: 'refunded' });
    expect((await service.order(person, first))?.failure).toBeUndefined();
  });

  it('is replaced by a checkout once it was deleted at Stripe', async () => {
    const person = await service.person();
    await service.bought(person);
    const { customer: deleted = '' } = await service.profile(person);
    await service.stripe().customers.del(deleted);
    await service.quiet();

    await service.bought(person);

    expect((await service.profile(person)).customer).not.toBe(deleted);
  });
});
