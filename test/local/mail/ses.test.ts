import { appendFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageRejected, SESClient, SendEmailCommand, VerifyEmailIdentityCommand } from '@aws-sdk/client-ses';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confirmationMail } from '#domain/accounts/mails.ts';
import { inboxPage, inboxScript } from '#local/mail/inbox.ts';
import { type MailStore, openMailStore, type ReceivedMail } from '#local/mail/mail-store.ts';
import { startSes } from '#local/mail/ses.ts';
import { createFaults, type Faults } from '#local/shared/faults.ts';
import type { Loopback } from '#local/shared/loopback.ts';
import { removeFolder } from '#test/folder.ts';

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
  folder = await mkdtemp(join(tmpdir(), 'mails-'));
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

  it('keeps a mail exactly as sent and returns a message id', async () => {
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
  ])('refuses %s and keeps nothing', async (_, to, source) => {
    await expect(send(to, source)).rejects.toMatchObject({ name: 'InvalidParameterValue', $metadata: { attempts: 1 } });
    expect(mails.list()).toEqual([]);
  });

  it('refuses actions it does not know', async () => {
    const verify = client.send(new VerifyEmailIdentityCommand({ EmailAddress: 'ann@example.org' }));
    await expect(verify).rejects.toMatchObject({ name: 'InvalidAction' });
  });

  it('rejects a message once, which the client does not try again', async () => {
    faults.order({ target: 'ses', fault: 'reject', count: 1 });
    const error = await send(['ann@example.org']).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(MessageRejected);
    expect(error.$metadata.attempts).toBe(1);
    expect(mails.list()).toEqual([]);
  });

  it.each(['throttle', 'unavailable'] as const)('is tried again by the client after %s', async (fault) => {
    faults.order({ target: 'ses', fault, count: 2 });
    const { $metadata } = await send(['ann@example.org']);
    expect($metadata.attempts).toBe(3);
    expect(mails.list()).toHaveLength(1);
  });

  it.each([
    ['throttle', 'Throttling'],
    ['unavailable', 'ServiceUnavailable'],
  ] as const)('shows a lasting %s as %s', async (fault, name) => {
    faults.order({ target: 'ses', fault, count: 100 });
    await expect(send(['ann@example.org'])).rejects.toMatchObject({ name });
  });

  it('publishes a bounce of the mailbox simulator in the format of EventBridge', async () => {
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
  it('lists the newest first, also after it was opened again', async () => {
    const store = await openMailStore(file);
    await Promise.all(['one', 'two', 'three'].map((subject) => store.add(mail(subject))));
    const subjects = (mails: ReceivedMail[]) => mails.map(({ subject }) => subject);
    expect(subjects(store.list())).toEqual(['three', 'two', 'one']);
    expect(subjects((await openMailStore(file)).list())).toEqual(['three', 'two', 'one']);
  });

  it('has a mail on disk when add resolves', async () => {
    const store = await openMailStore(file);
    await store.add(mail('one'));
    expect(await readFile(file, 'utf8')).toBe(`${JSON.stringify(mail('one'))}\n`);
  });

  it('loses nothing but an unfinished last line, wherever that breaks off', async () => {
    const store = await openMailStore(file);
    await store.add(mail('one'));
    const whole = await readFile(file);
    const line = Buffer.from(JSON.stringify(mail('zwölf')));
    for (let length = 1; length <= line.length; length += 7) {
      await writeFile(file, Buffer.concat([whole, line.subarray(0, length)]));
      const opened = await openMailStore(file);
      await opened.add(mail('two'));
      expect((await openMailStore(file)).list().map(({ subject }) => subject)).toEqual(['two', 'one']);
    }
  });

  it('keeps the newest 500 emails in a bounded file, even after it is reopened', async () => {
    const subjects = (mails: ReceivedMail[]) => mails.map(({ subject }) => subject);
    const expected = Array.from({ length: 500 }, (_, index) => `${1299 - index}`);
    const store = await openMailStore(file);
    for (let index = 0; index < 1300; index++) await store.add(mail(`${index}`));
    expect(subjects(store.list())).toEqual(expected);
    const opened = await openMailStore(file);
    expect(subjects(opened.list())).toEqual(expected);
    expect((await readFile(file, 'utf8')).split('\n').length).toBeLessThanOrEqual(1000);
    await opened.add(mail('next'));
    expect((await openMailStore(file)).list()[0]?.subject).toBe('next');
  });

  it('shortens an oversized file when it opens it', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `${JSON.stringify(mail(`${index}`))}\n`);
    await openMailStore(file);
    await writeFile(file, lines.join(''));
    expect((await openMailStore(file)).list()).toHaveLength(500);
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(501);
  });

  it('reports which line is broken instead of dropping finished mails', async () => {
    const store = await openMailStore(file);
    await store.add(mail('one'));
    await appendFile(file, 'garbage\n');
    await expect(openMailStore(file)).rejects.toThrow(/mails\.ndjson, line 2,/);
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

  it('escapes everything that comes from a mail', () => {
    const page = inboxPage([shown]);
    expect(page.replace(`<script>${inboxScript}</script>`, '')).not.toContain('<script>');
    expect(page).not.toContain('<b>now');
    expect(page).toContain('srcdoc="&lt;!doctype html&gt;&lt;base target=&quot;_top&quot;&gt;&lt;p&gt;Hi');
  });

  it('offers the first link as a button and never a script link', () => {
    expect(inboxPage([shown])).toContain(`<a class="button" href="${link.replace('&', '&amp;')}">`);
    const hostile = { ...shown, text: 'nothing', html: '<a href="javascript:alert(1)">x</a>' };
    expect(inboxPage([hostile])).not.toContain('class="button"');
  });

  it('runs no script of a mail and loads nothing from elsewhere', () => {
    const page = inboxPage([shown]);
    expect(page).toContain('sandbox="allow-popups allow-top-navigation-by-user-activation"');
    expect(page).not.toMatch(/<(?:link|script|img)[^>]+(?:src|href)="https?:/);
  });

  it('shows a mail without HTML as text', () => {
    const page = inboxPage([{ ...shown, html: '' }]);
    expect(page).not.toContain('<iframe');
    expect(page).toContain('&lt;b&gt;now&lt;/b&gt;');
  });

  it('explains what to do while it is empty', () => {
    expect(inboxPage([])).toContain('Register an account');
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
