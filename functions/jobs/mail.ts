import * as v from 'valibot';
import { mailFeedback } from '#contract/jobs.ts';
import { suppress, type SuppressionReason } from '#domain/mail/mail.ts';
import { sendRequestedReset, sendWaitingMail } from '#runtime/jobs/mail.ts';
import { imageRetryJob } from '#runtime/jobs/queue-job.ts';
import { itemStreamJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

export const sendMail = () =>
  itemStreamJob(sendWaitingMail, () => services().mailRetry(), { concurrency: 1, retryAttributes: ['outbox'] });

export const retryMail = () =>
  imageRetryJob((image) => ('outbox' in image ? sendWaitingMail(image) : sendRequestedReset(image)));

const Recipients = v.array(v.object({ emailAddress: v.pipe(v.string(), v.nonEmpty()) }));

/** Emails of earlier versions have no tag. */
const Tags = v.object({ [mailFeedback.tag]: v.optional(v.array(v.string()), []) });
const mail = v.object({ tags: v.optional(Tags, {}) });

/** The fields read from a bounce or complaint event (AWS "Contents of event data that Amazon SES publishes"). */
const Feedback = v.object({
  detail: v.variant('eventType', [
    v.object({
      eventType: v.literal('Bounce'),
      mail,
      bounce: v.object({ bounceType: v.string(), bouncedRecipients: Recipients }),
    }),
    v.object({
      eventType: v.literal('Complaint'),
      mail,
      complaint: v.object({ complaintFeedbackType: v.nullish(v.string()), complainedRecipients: Recipients }),
    }),
  ]),
});
type Detail = v.InferOutput<typeof Feedback>['detail'];

/** Events may be delivered repeatedly and out of order. */
export const suppressAddress =
  () =>
  async (event: unknown): Promise<void> => {
    const detail = detailOf(event);
    const reason = reasonOf(detail);
    if (!reason) return logger().info('ignored email feedback', { type: detail.eventType });
    const { suppressions, noteFeedback, clock } = services();
    const addresses = await suppress(suppressions(), clock, addressesOf(detail), reason);
    const [mailId] = detail.mail.tags[mailFeedback.tag];
    if (mailId !== undefined) await noteFeedback()(mailId, reason, clock.now());
    logger().info('addresses suppressed', { reason, addresses });
  };

/** Returns undefined if later emails may be delivered: full mailbox, out-of-office reply, email marked as not spam. */
function reasonOf(detail: Detail): SuppressionReason | undefined {
  if (detail.eventType === 'Bounce') return detail.bounce.bounceType === 'Permanent' ? 'bounce' : undefined;
  return detail.complaint.complaintFeedbackType === 'not-spam' ? undefined : 'complaint';
}

function addressesOf(detail: Detail): string[] {
  const isBounce = detail.eventType === 'Bounce';
  const recipients = isBounce ? detail.bounce.bouncedRecipients : detail.complaint.complainedRecipients;
  return recipients.map(({ emailAddress }) => emailAddress);
}

/** Valibot errors include the event, so rethrowing them would log email addresses. */
function detailOf(event: unknown): Detail {
  const { success, output, issues } = v.safeParse(Feedback, event);
  if (success) return output.detail;
  const places = issues.map((issue) => v.getDotPath(issue) ?? 'the event');
  throw new Error(`invalid SES bounce or complaint event: ${places.join(', ')}`);
}
