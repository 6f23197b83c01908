import { describe, expect, it } from 'vitest';
import { small, usePayingService } from '#test/payments/paying-service.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';

const service = usePayingService();

describe('an account without credits', () => {
  it('is offered packs by the refused call, the email and the list of plans', async () => {
    const person = await service.person({ credits: 1 });
    const chat = { model: 'svc-1', messages: [{ role: 'user', content: 'Hello' }] };
    await service.as('POST', '/v1/chat/completions', person, chat);

    const { status, body } = await service.as('POST', '/v1/chat/completions', person, chat);

    const advice = 'Buy credits, upgrade the plan or wait for the next month.';
    expect([status, body.detail]).toEqual([402, `This call needs up to 1 credit; you have 0 left. ${advice}`]);
    const mail = (await mailsTo(service, person.email)).find(({ subject }) => subject === 'Your credits are used up');
    expect(mail?.text).toContain('Calls are refused until you buy credits');
    expect(mail?.text).toContain(`${service.origin}/billing`);
    const { packs } = (await service.as('GET', '/api/subscription/plans', person)).body.data;
    expect(packs[0]).toEqual({ id: small.id, credits: small.credits, price: small.cents / 100 });
  });
});
