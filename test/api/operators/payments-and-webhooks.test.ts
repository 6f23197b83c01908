import { describe, expect, it } from 'vitest';
import { usePayingService } from '#test/payments/paying-service.ts';
import { setRole } from '#test/requests/operator-actions.ts';
import { code, usePerson } from '#test/service/service.ts';
import { respondWith, useReceiver } from '#test/webhooks/receiver.ts';

const service = usePayingService();
const receiver = useReceiver();
const [operator, customer] = [usePerson(service), usePerson(service, { planRank: 4 })];

const read = (what: string, id: number) =>
  service.call('GET', `/api/operator/accounts/${id}/${what}`, { cookie: operator.cookie });

describe('an account as operators see it', () => {
  it('shows its payments as the owner sees them', async () => {
    await setRole(operator, 'operator');
    expect((await read('payments', customer.id)).body.data).toEqual({ items: [], nextCursor: null });
    const id = await service.bought(customer);
    const { items } = (await read('payments', customer.id)).body.data;
    expect(items).toMatchObject([{ id, status: 'granted', amount: 500 }]);
    expect(items).toEqual(await service.payments(customer));
  });

  it('shows its webhooks without secrets, and since when one has been failing', async () => {
    const { key, id } = customer;
    const body = { url: receiver.url, events: ['*'] };
    const made = (await service.call('POST', '/api/webhooks', { key, body })).body.data;
    expect((await read('webhooks', id)).body.data.items).toMatchObject([{ id: made.id, failingSince: null }]);
    receiver.respond(respondWith(500));
    await service.call('POST', `/api/webhooks/${made.id}/test`, { key, body: {} });
    await service.settled();
    const response = await read('webhooks', id);
    expect(response.body.data.items).toMatchObject([{ id: made.id, failingSince: expect.any(String) }]);
    expect(JSON.stringify(response.body)).not.toContain('whsec_');
    expect(code(await read('webhooks', 123))).toBe('404 NOT_FOUND');
  });
});
