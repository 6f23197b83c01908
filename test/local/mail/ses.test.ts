import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MessageRejected, SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confirmationMail } from '#domain/accounts/mails.ts';
import { inboxPage, inboxScript, type MailStore, openMailStore, type ReceivedMail } from '#local/mail/inbox.ts';
import { startSes } from '#local/mail/ses.ts';
import { createFaults, type Faults } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';
import { removeFolder, testFolder } from '#test/folder.ts';

const mail = (subject: string): ReceivedMail => ({
  to: ['ann@example.org'],
  subject,
  text: 'Hello',
  html: '<p>Hello</p>',
  sentAt: '2026-11-21T09:00:00.000Z',
});

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await testFolder();
  file = join(folder, 'data', 'mails.ndjson');
});
afterEach(() => removeFolder(folder));

describe('SES stand-in', () => {
  let mails: MailStore;
  let faults: Faults;
  let server: Loopback;
  let client: SESClient;
  let events: unknown[];
  beforeEach(async () => {
    mails = await openMailStore(file);
    faults = createFaults();
    events = [];
    const onFeedback = (event: unknown) => void events.push(event);
    server = await startSes({ mails, faults, now: () => Date.UTC(2026, 10, 21, 9), onFeedback });
    client = new SESClient({ endpoint: server.url, retryStrategy: new ConfiguredRetryStrategy(3, 1) });
  });
  afterEach(async () => {
    client.destroy();
    await server.close();
  });

  const send = (to: string[], source = 'Platform <no-reply@example.com>') =>
    client.send(
      new SendEmailCommand({
        Source: source,
        ConfigurationSetName: 'platform',
        Destination: { ToAddresses: to },
        Message: {
          Subject: { Data: 'Wörter & <Zeichen> 🎉', Charset: 'UTF-8' },
          Body: { Text: { Data: 'a=b&c\r\nd+e' }, Html: { Data: '<p class="x">é</p>' } },
        },
      }),
    );

  it('stores an email exactly as sent and returns a message id', async () => {
    const { MessageId } = await send(['ann@example.org', 'Bob <bob@example.org>']);
    expect(MessageId).toMatch(/^[\w-]{20,}$/);
    expect(mails.list()).toEqual([
      {
        to: ['ann@example.org', 'Bob <bob@example.org>'],
        subject: 'Wörter & <Zeichen> 🎉',
        text: 'a=b&c\r\nd+e',
        html: '<p class="x">é</p>',
        sentAt: '2026-11-21T09:00:00.000Z',
      },
    ]);
  });

  it.each([
    ['no recipient', [], 'a@example.com'],
    ['a malformed recipient', ['ann@example.org', 'ann example.org'], 'a@example.com'],
    ['a recipient without domain', ['ann@'], 'a@example.com'],
    ['a domain with an empty label', ['ann@example..org'], 'a@example.com'],
    ['an empty sender', ['ann@example.org'], ''],
    ['a malformed sender', ['ann@example.org'], 'platform'],
  ])('rejects %s and stores nothing', async (_, to, source) => {
    await expect(send(to, source)).rejects.toMatchObject({ name: 'InvalidParameterValue', $metadata: { attempts: 1 } });
    expect(mails.list()).toEqual([]);
  });

  it('rejects a message, which the client does not retry', async () => {
    faults.order({ target: 'ses', fault: 'reject', count: 1 });
    const error = await send(['ann@example.org']).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(MessageRejected);
    expect(error.$metadata.attempts).toBe(1);
    expect(mails.list()).toEqual([]);
  });

  it.each([
    ['throttle', 'Throttling'],
    ['unavailable', 'ServiceUnavailable'],
  ] as const)('returns the error of a %s fault, which the client retries', async (fault, name) => {
    faults.order({ target: 'ses', fault, count: 2 });
    expect((await send(['ann@example.org'])).$metadata.attempts).toBe(3);
    expect(mails.list()).toHaveLength(1);
    faults.order({ target: 'ses', fault, count: 100 });
    await expect(send(['ann@example.org'])).rejects.toMatchObject({ name });
  });

  it('publishes a bounce of the mailbox simulator as an EventBridge event', async () => {
    const { MessageId } = await send(['Ada <bounce+a.b@simulator.amazonses.com>']);
    const at = '2026-11-21T09:00:00.000Z';
    const recipient = {
      emailAddress: 'bounce+a.b@simulator.amazonses.com',
      action: 'failed',
      status: '5.1.1',
      diagnosticCode: 'smtp; 550 5.1.1 user unknown',
    };
    await expect
      .poll(() => events)
      .toEqual([
        {
          version: '0',
          id: expect.any(String),
          'detail-type': 'Email Bounced',
          source: 'aws.ses',
          account: '000000000000',
          time: at,
          region: 'us-east-1',
          resources: ['arn:aws:ses:us-east-1:000000000000:configuration-set/platform'],
          detail: {
            eventType: 'Bounce',
            bounce: {
              bounceType: 'Permanent',
              bounceSubType: 'General',
              bouncedRecipients: [recipient],
              timestamp: at,
              feedbackId: expect.any(String),
            },
            mail: {
              timestamp: at,
              messageId: MessageId,
              source: 'Platform <no-reply@example.com>',
              sendingAccountId: '000000000000',
              destination: ['Ada <bounce+a.b@simulator.amazonses.com>'],
              tags: { 'ses:configuration-set': ['platform'] },
            },
          },
        },
      ]);
  });

  it('publishes one event for each simulated recipient that bounces or complains', async () => {
    await send(['complaint', 'success', 'ooto'].map((name) => `${name}@simulator.amazonses.com`));
    const complainedRecipients = [{ emailAddress: 'complaint@simulator.amazonses.com' }];
    await expect
      .poll(() => events)
      .toMatchObject([
        { 'detail-type': 'Email Complaint Received', detail: { complaint: { complainedRecipients } } },
        { 'detail-type': 'Email Bounced', detail: { bounce: { bounceType: 'Transient' } } },
      ]);
  });

  it.each([
    ['bounce@simulator.amazonses.com', false, 1],
    ['Bounce+Label@Simulator.AmazonSES.com', false, 1],
    ['suppressionlist@simulator.amazonses.com', false, 1],
    ['complaint+x@simulator.amazonses.com', true, 1],
    ['success@simulator.amazonses.com', true, 0],
    ['bouncer@simulator.amazonses.com', true, 0],
    ['bounce@simulator.amazonses.com.example.org', true, 0],
    ['bounce@example.com', true, 0],
  ])('delivers an email to %s: %s, with %s events', async (address, isDelivered, count) => {
    await send([address]);
    await expect.poll(() => events).toHaveLength(count);
    expect(mails.list()).toHaveLength(isDelivered ? 1 : 0);
  });
});

describe('mail store', () => {
  const subjects = (store: MailStore) => store.list().map(({ subject }) => subject);

  it('lists the newest email first, from disk if it is opened again', async () => {
    const store = await openMailStore(file);
    await Promise.all(['one', 'two', 'three'].map((subject) => store.add(mail(subject))));
    for (const opened of [store, await openMailStore(file)]) expect(subjects(opened)).toEqual(['three', 'two', 'one']);
  });

  it('loses only an unfinished last line', async () => {
    const store = await openMailStore(file);
    await store.add(mail('one'));
    const whole = await readFile(file);
    const line = Buffer.from(JSON.stringify(mail('zwölf')));
    for (let length = 1; length <= line.length; length += 7) {
      await writeFile(file, Buffer.concat([whole, line.subarray(0, length)]));
      const opened = await openMailStore(file);
      await opened.add(mail('two'));
      expect(subjects(await openMailStore(file))).toEqual(['two', 'one']);
    }
  });

  it('keeps the newest 500 emails in a bounded file, even after it is reopened', async () => {
    const expected = Array.from({ length: 500 }, (_, index) => `${1299 - index}`);
    const store = await openMailStore(file);
    for (let index = 0; index < 1300; index++) await store.add(mail(`${index}`));
    expect(subjects(store)).toEqual(expected);
    const opened = await openMailStore(file);
    expect(subjects(opened)).toEqual(expected);
    expect((await readFile(file, 'utf8')).split('\n').length).toBeLessThanOrEqual(1000);
    const oversized = Array.from({ length: 5000 }, (_, index) => `${JSON.stringify(mail(`${index}`))}\n`);
    await writeFile(file, oversized.join(''));
    expect((await openMailStore(file)).list()).toHaveLength(500);
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(501);
  });
});

describe('inbox page', () => {
  const link = 'http://127.0.0.1:8787/confirm?token=abc&kind=new';
  const shown: ReceivedMail = {
    to: ['"x"<script>@example.org'],
    subject: '<script>alert(1)</script>',
    text: `Open ${link} <b>now</b>`,
    html: `<p>Hi</p><a class="b" href="${link.replace('&', '&amp;')}">Go</a><script>alert("2")</script>`,
    sentAt: '2026-11-21T09:00:00.000Z',
  };

  it('escapes everything in an email, runs no script and loads nothing from elsewhere', () => {
    const page = inboxPage([shown]);
    expect(page.replace(`<script>${inboxScript}</script>`, '')).not.toContain('<script>');
    expect(page).not.toContain('<b>now');
    expect(page).toContain('srcdoc="&lt;!doctype html&gt;&lt;base target=&quot;_top&quot;&gt;&lt;p&gt;Hi');
    expect(page).toContain('sandbox="allow-popups allow-top-navigation-by-user-activation"');
    expect(page).not.toMatch(/<(?:link|script|img)[^>]+(?:src|href)="https?:/);
  });

  it('shows the first link as a button, but never a script link', () => {
    expect(inboxPage([shown])).toContain(`<a class="button" href="${link.replace('&', '&amp;')}">`);
    const hostile = { ...shown, text: 'nothing', html: '<a href="javascript:alert(1)">x</a>' };
    expect(inboxPage([hostile])).not.toContain('class="button"');
  });

  it('shows the product’s name and the newest 50 of 500 emails in less than 1 MB', () => {
    const link = 'https://text.example.org/confirm?token=tac_abc';
    const { subject, text, html } = confirmationMail({ name: 'Ada', confirmedAt: 1 }, link);
    const mails = Array.from({ length: 500 }, (_, index) => ({ ...shown, subject: `${subject} ${index}`, text, html }));
    const page = inboxPage(mails);
    expect(page).toContain('Text AI platform');
    expect(page.match(/<details class="mail"/g)).toHaveLength(50);
    expect(page).toContain('450 older');
    expect(page.length).toBeLessThan(1_000_000);
  });
});
