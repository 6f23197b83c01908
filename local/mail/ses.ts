import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { mailFeedback } from '#contract/jobs.ts';
import type { Faults } from '../shared/faults.ts';
import { BodyTooLarge, listen, listener, type Loopback, readBody } from '../shared/loopback.ts';
import type { MailStore } from './inbox.ts';

export interface SesOptions {
  readonly mails: MailStore;
  readonly faults: Faults;
  /** Unix time in ms. */
  readonly now: () => number;
  /** Receives bounces and complaints after the response, like EventBridge. */
  readonly onFeedback?: (event: unknown) => void;
}

interface SesError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** SES rejects emails above 10 MB (SES quotas). */
const bodyLimitBytes = 10 * 1024 * 1024;

const faultErrors: Record<'reject' | 'throttle' | 'unavailable', SesError> = {
  reject: { status: 400, code: 'MessageRejected', message: 'Email address is not verified.' },
  throttle: { status: 400, code: 'Throttling', message: 'Maximum sending rate exceeded.' },
  unavailable: { status: 503, code: 'ServiceUnavailable', message: 'The service is temporarily unavailable.' },
};

/**
 * Accepts `SendEmail` of SES's v1 Query API and stores the emails instead of sending them. Addresses of the mailbox
 * simulator bounce and complain. Emails with a configuration set publish these events; every set has one event
 * destination.
 */
export function startSes({ mails, faults, now, onFeedback }: SesOptions): Promise<Loopback> {
  return listen(
    listener(async (req, res) => {
      const form = await readForm(req);
      const fault = faults.take('ses');
      const error = fault ? faultErrors[fault] : refusal(form);
      if (error) return sendError(res, error);
      const sentAt = new Date(now()).toISOString();
      await keep(mails, form, sentAt);
      const messageId = randomUUID();
      sendResult(res, messageId);
      for (const event of feedback(form, messageId, sentAt)) onFeedback?.(event);
    }),
  );
}

async function keep(mails: MailStore, form: URLSearchParams, sentAt: string): Promise<void> {
  const to = recipients(form).filter(arrives);
  if (to.length === 0) return;
  await mails.add({
    to,
    subject: form.get('Message.Subject.Data') ?? '',
    text: form.get('Message.Body.Text.Data') ?? '',
    html: form.get('Message.Body.Html.Data') ?? '',
    sentAt,
  });
}

function feedback(form: URLSearchParams, messageId: string, sentAt: string): unknown[] {
  const configurationSet = form.get('ConfigurationSetName');
  if (!configurationSet) return [];
  const source = form.get('Source') ?? '';
  return feedbackOn({ messageId, source, destination: recipients(form), configurationSet, sentAt, tags: tagsOf(form) });
}

function tagsOf(form: URLSearchParams): Readonly<Record<string, readonly string[]>> {
  const names = [...form].filter(([name]) => /^Tags\.member\.\d+\.Name$/.test(name));
  return Object.fromEntries(names.map(([name, tag]) => [tag, [form.get(name.replace(/Name$/, 'Value')) ?? '']]));
}

/** Marks an oversized form with a field that no client sends. */
async function readForm(req: Parameters<typeof readBody>[0]): Promise<URLSearchParams> {
  try {
    return new URLSearchParams((await readBody(req, bodyLimitBytes)).toString());
  } catch (error) {
    if (error instanceof BodyTooLarge) return new URLSearchParams({ tooLarge: error.message });
    throw error;
  }
}

function recipients(form: URLSearchParams): string[] {
  return [...form]
    .filter(([name]) => /^Destination\.(?:To|Cc|Bcc)Addresses\.member\.\d+$/.test(name))
    .map(([, to]) => to);
}

function refusal(form: URLSearchParams): SesError | undefined {
  const invalid = (message: string) => ({ status: 400, code: 'InvalidParameterValue', message });
  if (form.has('tooLarge')) return invalid(form.get('tooLarge') ?? '');
  const action = form.get('Action') ?? '';
  if (action !== 'SendEmail') {
    return { status: 400, code: 'InvalidAction', message: `Could not find operation ${action} for version 2010-12-01` };
  }
  const source = form.get('Source') ?? '';
  if (!isMailbox(source)) return invalid(`Source: '${source}' is not an email address.`);
  const to = recipients(form);
  if (to.length === 0) return invalid('Destination: at least one recipient is needed.');
  const malformed = to.find((address) => !isMailbox(address));
  if (malformed !== undefined) return invalid(`Destination: '${malformed}' is not an email address.`);
  if (!form.get('Message.Subject.Data')) return invalid('Message.Subject.Data must not be empty.');
  if (!form.get('Message.Body.Text.Data') && !form.get('Message.Body.Html.Data'))
    return invalid('Message.Body must not be empty.');
  return undefined;
}

/** `a@b.example` or `A name <a@b.example>`. Like SES, requires ASCII before the @. */
function isMailbox(text: string): boolean {
  const address = bareAddress(text);
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
  return (
    /^[!#-'*+\-./0-9=?A-Z^_`a-z{|}~]{1,64}$/.test(local) &&
    /^[\p{L}\p{N}.-]{1,255}$/u.test(domain) &&
    domain.split('.').every((label) => label !== '')
  );
}

function sendResult(res: ServerResponse, messageId: string): void {
  const result = `<SendEmailResult><MessageId>${messageId}</MessageId></SendEmailResult>`;
  const metadata = `<ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>`;
  sendXml(res, 200, 'SendEmailResponse', result + metadata);
}

function sendError(res: ServerResponse, { status, code, message }: SesError): void {
  const type = status < 500 ? 'Sender' : 'Receiver';
  const error = `<Error><Type>${type}</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`;
  sendXml(res, status, 'ErrorResponse', `${error}<RequestId>${randomUUID()}</RequestId>`);
}

function sendXml(res: ServerResponse, status: number, root: string, content: string): void {
  res.writeHead(status, { 'content-type': 'text/xml' });
  res.end(`<${root} xmlns="http://ses.amazonaws.com/doc/2010-12-01/">${content}</${root}>`);
}

/** XML 1.0 forbids control characters, even escaped. */
function escapeXml(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const printable = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd').toWellFormed();
  return printable.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** `sentAt` is ISO 8601. */
export interface AcceptedMail {
  readonly messageId: string;
  readonly source: string;
  readonly destination: readonly string[];
  readonly configurationSet: string;
  readonly sentAt: string;
  readonly tags: Readonly<Record<string, readonly string[]>>;
}

type Feedback = { readonly eventType: keyof typeof mailFeedback.detailTypes } & Readonly<Record<string, unknown>>;

interface Scenario {
  readonly arrives: boolean;
  readonly feedback: (emailAddress: string, timestamp: string) => Feedback;
}

const bounce =
  (bounceType: string, diagnosis: object) =>
  (emailAddress: string, timestamp: string): Feedback => {
    const bouncedRecipients = [{ emailAddress, ...diagnosis }];
    const details = { bounceType, bounceSubType: 'General', bouncedRecipients, timestamp, feedbackId: randomUUID() };
    return { eventType: 'Bounce', bounce: details };
  };

const complaint = (emailAddress: string, timestamp: string): Feedback => {
  const details = { complaintFeedbackType: 'abuse', complainedRecipients: [{ emailAddress }], timestamp };
  return { eventType: 'Complaint', complaint: { ...details, feedbackId: randomUUID() } };
};

const unknownUser = { action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' };

/** Scenarios of SES's mailbox simulator by local part (AWS "Testing Email Sending in Amazon SES"). */
const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ['bounce', { arrives: false, feedback: bounce('Permanent', unknownUser) }],
  ['suppressionlist', { arrives: false, feedback: bounce('Permanent', unknownUser) }],
  ['ooto', { arrives: true, feedback: bounce('Transient', {}) }],
  ['complaint', { arrives: true, feedback: complaint }],
]);

/** Undefined for other addresses. The local part may have a label: `bounce+label@…`. */
function scenarioOf(address: string): Scenario | undefined {
  const name = /^(\w+)(?:\+[^@]*)?@simulator\.amazonses\.com$/i.exec(bareAddress(address))?.[1];
  return name === undefined ? undefined : scenarios.get(name.toLowerCase());
}

/** Extracts `a@b.example` from `A name <a@b.example>`. */
function bareAddress(mailbox: string): string {
  return mailbox.endsWith('>') ? mailbox.slice(mailbox.lastIndexOf('<') + 1, -1) : mailbox;
}

const arrives = (mailbox: string): boolean => scenarioOf(mailbox)?.arrives ?? true;

function feedbackOn(mail: AcceptedMail): unknown[] {
  return mail.destination.flatMap((mailbox) => {
    const feedback = scenarioOf(mailbox)?.feedback(bareAddress(mailbox), mail.sentAt);
    return feedback ? [eventOf(mail, feedback)] : [];
  });
}

function eventOf({ configurationSet, sentAt, tags: own, ...mail }: AcceptedMail, feedback: Feedback) {
  const [region, account] = ['us-east-1', '000000000000'];
  const tags = { 'ses:configuration-set': [configurationSet], ...own };
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': mailFeedback.detailTypes[feedback.eventType],
    source: mailFeedback.source,
    account,
    time: sentAt,
    region,
    resources: [`arn:aws:ses:${region}:${account}:configuration-set/${configurationSet}`],
    detail: { ...feedback, mail: { ...mail, timestamp: sentAt, sendingAccountId: account, tags } },
  };
}
