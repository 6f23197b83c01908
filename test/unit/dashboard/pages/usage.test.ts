import { describe, expect, it } from 'vitest';
import { type Entry, entryText, isTelling } from '../../../../dashboard/src/pages/usage/entry-text.ts';

const now = Date.UTC(2027, 10, 26);
const entry = (parts: Partial<Entry>): Entry => ({
  seq: 1,
  at: '2027-11-26T09:00:00.000Z',
  type: 'adjustment',
  service: null,
  model: null,
  source: null,
  credits: 0,
  balance: 100,
  requestId: null,
  keyId: null,
  ...parts,
});
const refund = (service: string, reason: Entry['reason']): Entry =>
  entry({ type: 'refund', credits: 2, service, reason });

describe('an entry of the credit history', () => {
  const effectiveAt = '2027-12-25T23:00:00.000Z';
  const downgrade = { kind: 'downgrade_scheduled', plan: 'dev_pass' } as const;
  it.each([
    [{ kind: 'subscribed', plan: 'dev_pass' }, 'Subscribed to Dev Pass'],
    [{ kind: 'assigned', plan: 'enterprise' }, 'Enterprise assigned'],
    [{ kind: 'renewed', plan: 'dev_pass' }, 'Dev Pass renewed'],
    [{ kind: 'upgraded', plan: 'pro_pass' }, 'Upgraded to Pro Pass'],
    [{ ...downgrade, effectiveAt }, 'Downgrade to Dev Pass scheduled for 25 Dec'],
    [{ ...downgrade, effectiveAt: '2028-01-25T23:00:00.000Z' }, 'Downgrade to Dev Pass scheduled for 25 Jan 2028'],
    [{ kind: 'downgrade_cancelled', plan: 'pro_pass' }, 'Downgrade cancelled'],
    [{ kind: 'downgraded', plan: 'freemium' }, 'Downgraded to Freemium'],
    [{ kind: 'cancelled', plan: 'dev_pass', effectiveAt }, 'Subscription to Dev Pass cancelled'],
    [{ kind: 'resumed', plan: 'dev_pass' }, 'Subscription to Dev Pass resumed'],
  ] as const)('names the change %o', (change, text) => {
    expect(entryText(entry({ change }), now)).toBe(text);
  });

  it.each([
    [refund('transcription', 'failed'), 'Refund: transcription failed'],
    [refund('transcription', 'expired'), 'Refund: transcription expired'],
    [refund('transcription', 'deleted'), 'Refund: transcription deleted'],
    [refund('transcription', 'unused'), 'Refund: unused part of a transcription'],
    [refund('sms', 'failed'), 'Refund: SMS failed'],
    [refund('voice_call', 'failed'), 'Refund: voice call failed'],
    [refund('sms', undefined), 'Refund: SMS'],
  ])('states the reason for a refund %#', (refunded, text) => {
    expect(entryText(refunded, now)).toBe(text);
  });

  const paymentId = 'ord_1';
  it.each([
    [entry({ type: 'grant', source: 'purchase', credits: 1000, paymentId }), 'Bought credits'],
    [entry({ type: 'grant', source: 'purchase', credits: 1000 }), 'Granted credits'],
    [entry({ type: 'grant', source: 'plan', credits: 5000, paymentId }), 'Plan credits'],
    [entry({ credits: -400, paymentId }), 'Taken back, because the payment was returned'],
    [entry({ credits: 400, paymentId }), 'Returned, because the payment stands'],
    [entry({ type: 'expiry', credits: -5, paymentId }), 'Credits expired'],
    [entry({ paymentId, change: { kind: 'renewed', plan: 'dev_pass' } }), 'Dev Pass renewed'],
  ])('names the effect of a payment %#', (paid, text) => {
    expect(entryText(paid, now)).toBe(text);
  });

  it('names expired credits, a charge with its model, and the source of a grant', () => {
    expect(entryText(entry({ type: 'expiry', credits: -5 }), now)).toBe('Credits expired');
    expect(entryText(entry({ type: 'charge', credits: -1, service: 'chat', model: 'svc-1' }), now)).toBe('Chat, svc-1');
    expect(entryText(entry({ type: 'grant', credits: 5, source: 'purchase' }), now)).toBe('Granted credits');
  });

  it('is omitted if it has neither credits nor a change', () => {
    expect(isTelling(entry({ type: 'charge', service: 'chat' }))).toBe(false);
    expect(isTelling(entry({ change: { kind: 'resumed', plan: 'dev_pass' } }))).toBe(true);
    expect(isTelling(entry({ type: 'charge', credits: -0.0001 }))).toBe(true);
  });
});
