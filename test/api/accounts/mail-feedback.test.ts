import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { mailFeedback } from '#contract/jobs.ts';
import { suppressAddress as buildSuppressAddress } from '#jobs/mail.ts';
import { suppressionKeys } from '#repositories/accounts/account-items.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';
import { rowsOf } from '#test/database/rows.ts';
import { mailsTo } from '#test/requests/accounts/inbox.ts';
import { cookieOf, useTestService } from '#test/service/service.ts';

const suppressAddress = buildSuppressAddress();
const service = useTestService();

/** Registers an address, which sends it an email, and returns the session cookie. */
async function register(email: string): Promise<string> {
  const body = { email, name: 'Ada', password_hash: 'a quiet river bank' };
  const response = await service.call('POST', '/api/auth/register', { body });
  expect(response.status).toBe(201);
  await service.settled();
  return cookieOf(response);
}

async function requestAnotherMail(cookie: string): Promise<void> {
  const { status, body } = await service.call('POST', '/api/auth/resend-confirmation', { cookie });
  expect([status, body.message]).toEqual([200, 'CONFIRMATION_LINK_SENT']);
  await service.settled();
}

const suppressionOf = async (address: string) =>
  (await rowsOf('accounts')).find(({ pk }) => pk === suppressionKeys(address)[0]?.pk);

/** The outcomes of the emails to an address, oldest first. */
async function outcomesOf(address: string): Promise<unknown[]> {
  const mails = (await rowsOf('accounts')).filter(({ pk, to }) => String(pk).startsWith('mail#') && to === address);
  expect(mails.filter((mail) => 'outbox' in mail || 'text' in mail || 'html' in mail)).toEqual([]);
  return mails.toSorted((a, b) => Number(a['closedAt']) - Number(b['closedAt'])).map(({ outcome }) => outcome);
}

const recipients = (addresses: readonly string[]) => addresses.map((emailAddress) => ({ emailAddress }));
const event = (eventType: 'Bounce' | 'Complaint', detail: object) => ({
  version: '0',
  id: randomUUID(),
  source: mailFeedback.source,
  'detail-type': mailFeedback.detailTypes[eventType],
  detail: { eventType, ...detail, mail: { messageId: randomUUID() } },
});
const bounce = (bounceType: string, ...addresses: string[]) =>
  event('Bounce', { bounce: { bounceType, bounceSubType: 'General', bouncedRecipients: recipients(addresses) } });
const complaint = (complaintFeedbackType: string | null, ...addresses: string[]) =>
  event('Complaint', { complaint: { complaintFeedbackType, complainedRecipients: recipients(addresses) } });

describe('the suppression of addresses', () => {
  it('sends no second email to an address that bounces permanently', async () => {
    const email = 'bounce+ada@simulator.amazonses.com';
    const cookie = await register(email);
    expect(await suppressionOf(email)).toMatchObject({ reason: 'bounce', suppressedAt: expect.any(Number) });
    await requestAnotherMail(cookie);
    expect(await outcomesOf(email)).toEqual(['sent', 'suppressed']);
    expect(await mailsTo(service, email)).toEqual([]);
    // Another label of the same mailbox is another address.
    const other = 'bounce+two@simulator.amazonses.com';
    await register(other);
    expect(await outcomesOf(other)).toEqual(['sent']);
  });

  it('stores no address, and ends with the command of an operator', async () => {
    const email = 'bounce+lifted@simulator.amazonses.com';
    const cookie = await register(email);
    const stored = (await rowsOf('accounts')).filter(({ pk }) => String(pk).startsWith('suppressed#'));
    expect(JSON.stringify(stored)).not.toContain('@');
    const actions = (await services().operators()).actions();
    expect(await actions.unblock(email.toUpperCase())).toBe(true);
    expect(await actions.unblock(email)).toBe(false);
    const events = (await rowsOf('audit')).filter(({ pk }) => pk !== 'all');
    const change = { before: { mail: 'blocked' }, after: { mail: 'open' }, reason: 'node bin/operator.ts' };
    expect(events).toMatchObject([{ action: 'unblock_mail', ...change }]);
    expect(JSON.stringify(events)).not.toContain('@');
    await requestAnotherMail(cookie);
    expect(await outcomesOf(email)).toEqual(['sent', 'sent']);
  });

  it('sends no second email to an address that complained, in upper or lower case', async () => {
    const email = 'Complaint+Ada@Simulator.AmazonSES.com';
    const cookie = await register(email);
    const address = email.toLowerCase();
    expect(await suppressionOf(address)).toMatchObject({ reason: 'complaint' });
    await requestAnotherMail(cookie);
    expect(await outcomesOf(address)).toEqual(['sent', 'suppressed']);
    expect(await mailsTo(service, address)).toHaveLength(1);
  });
});

describe('delivery events', () => {
  it('have no further effect if they are repeated or out of order', async () => {
    const eventsOn = (address: string) => [
      bounce('Permanent', address),
      bounce('Transient', address),
      complaint('abuse', address),
    ];
    for (const order of [
      [0, 1, 2],
      [2, 1, 0],
      [1, 0, 2],
    ]) {
      const address = `order-${order.join('')}@example.com`;
      const events = order.map((place) => eventsOn(address)[place]);
      for (const one of events) await suppressAddress(one);
      const first = await suppressionOf(address);
      expect(first).toMatchObject({ reason: order.indexOf(0) < order.indexOf(2) ? 'bounce' : 'complaint' });
      for (const one of [...events, ...events.toReversed()]) await suppressAddress(one);
      expect(await suppressionOf(address)).toEqual(first);
    }
  });

  it('suppress an address once if many arrive concurrently', async () => {
    const address = 'flood@example.com';
    await Promise.all(Array.from({ length: 20 }, () => suppressAddress(bounce('Permanent', address, address))));
    expect(await suppressionOf(address)).toMatchObject({ reason: 'bounce' });
  });

  it('suppress every listed recipient, in lower case', async () => {
    await suppressAddress(bounce('Permanent', 'One@Example.com', 'two@example.com'));
    expect(await suppressionOf('one@example.com')).toBeDefined();
    expect(await suppressionOf('two@example.com')).toBeDefined();
    await suppressAddress(complaint(null, 'THREE@example.com'));
    expect(await suppressionOf('three@example.com')).toMatchObject({ reason: 'complaint' });
  });

  it.each([
    ['a transient bounce', bounce('Transient', 'spared@example.com')],
    ['a bounce whose kind SES could not determine', bounce('Undetermined', 'spared@example.com')],
    ['a report that a mail was no spam', complaint('not-spam', 'spared@example.com')],
    ['a bounce without recipients', bounce('Permanent')],
  ])('suppress no address for %s', async (_, harmless) => {
    await suppressAddress(harmless);
    expect(await suppressionOf('spared@example.com')).toBeUndefined();
  });

  it('write one log line, with the reason and without the address', async () => {
    const info = vi.spyOn(logger(), 'info');
    await suppressAddress(bounce('Permanent', 'secret@example.com'));
    await suppressAddress(bounce('Permanent', 'secret@example.com'));
    expect(info.mock.calls).toEqual([
      ['addresses suppressed', { reason: 'bounce', addresses: 1 }],
      ['addresses suppressed', { reason: 'bounce', addresses: 0 }],
    ]);
    info.mockRestore();
  });

  it.each([
    ['another kind', event('Bounce', { eventType: 'secret@example.com' })],
    [
      'no recipients',
      event('Bounce', { bounce: { bounceType: 'Permanent', bouncedRecipients: 'secret@example.com' } }),
    ],
    ['nothing', undefined],
  ])('fail if they are invalid (%s), with an error that omits the address', async (_, broken) => {
    const error = await suppressAddress(broken).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(inspect(error, { depth: null, showHidden: true })).not.toContain('secret');
  });
});
