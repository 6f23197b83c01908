import * as v from 'valibot';
import { instant } from '../shared/fields.ts';

/** Days that what is left of a sent mail is kept: neither its text nor its links. */
export const mailRetentionDays = 30;

/** Mails that are shown: the newest. */
export const shownMails = 20;

const mailStates = ['waiting', 'sent', 'rejected', 'suppressed', 'expired'] as const;
export type MailState = (typeof mailStates)[number];

/**
 * Mails about an account, newest first. `sent`: SES took it; `rejected`: SES refused it; `suppressed`: not sent, as an earlier
 * mail to the address bounced or was called spam; `expired`: not sent in a week, and given up. `suppression`: whether its present
 * address is in that state.
 */
export const MailList = v.object({
  mails: v.array(
    v.object({
      subject: v.string(),
      at: instant,
      state: v.picklist(mailStates),
      stateAt: v.nullable(instant),
    }),
  ),
  suppression: v.nullable(v.object({ reason: v.picklist(['bounce', 'complaint']), at: instant })),
});
