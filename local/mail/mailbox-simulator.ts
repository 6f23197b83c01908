import { randomUUID } from 'node:crypto';
import { mailFeedback } from '#contract/jobs.ts';

/** A mail that SES has accepted. `sentAt` is ISO 8601. */
export interface AcceptedMail {
  readonly messageId: string;
  readonly source: string;
  readonly destination: readonly string[];
  readonly configurationSet: string;
  readonly sentAt: string;
}

type Feedback = { readonly eventType: keyof typeof mailFeedback.detailTypes } & Readonly<Record<string, unknown>>;

interface Scenario {
  /** The mail arrives, whatever follows. */
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

/** What SES's mailbox simulator plays, by the name before the @ (AWS "Testing Email Sending in Amazon SES"). */
const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ['bounce', { arrives: false, feedback: bounce('Permanent', unknownUser) }],
  ['suppressionlist', { arrives: false, feedback: bounce('Permanent', unknownUser) }],
  ['ooto', { arrives: true, feedback: bounce('Transient', {}) }],
  ['complaint', { arrives: true, feedback: complaint }],
]);

/** Undefined for a mailbox that just takes the mail. The name may have a label: `bounce+label@…`. */
function scenarioOf(address: string): Scenario | undefined {
  const name = /^(\w+)(?:\+[^@]*)?@simulator\.amazonses\.com$/i.exec(bareAddress(address))?.[1];
  return name === undefined ? undefined : scenarios.get(name.toLowerCase());
}

/** `a@b.example` of `A name <a@b.example>`. */
export function bareAddress(mailbox: string): string {
  return mailbox.endsWith('>') ? mailbox.slice(mailbox.lastIndexOf('<') + 1, -1) : mailbox;
}

export const arrives = (mailbox: string): boolean => scenarioOf(mailbox)?.arrives ?? true;

/** The events that EventBridge gets because of a mail, as SES publishes them. */
export function feedbackOn(mail: AcceptedMail): unknown[] {
  return mail.destination.flatMap((mailbox) => {
    const feedback = scenarioOf(mailbox)?.feedback(bareAddress(mailbox), mail.sentAt);
    return feedback ? [eventOf(mail, feedback)] : [];
  });
}

function eventOf({ configurationSet, sentAt, ...mail }: AcceptedMail, feedback: Feedback) {
  const [region, account] = ['us-east-1', '000000000000'];
  const tags = { 'ses:configuration-set': [configurationSet] };
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
