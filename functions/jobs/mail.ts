import * as v from 'valibot';
import { sendWaiting, suppress, type SuppressionReason } from '#domain/mail/mail.ts';
import { streamJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';
import { logger, recordRejectedMail } from '#runtime/telemetry.ts';

const Image = v.object({ outbox: v.string() });

export const sendMail = () =>
  streamJob(async (image) => {
    const { outbox, suppressions, mailer, clock } = services();
    const parts = { store: outbox(), suppressions: suppressions(), mailer: await mailer(), clock };
    const outcome = await sendWaiting(parts, v.parse(Image, image).outbox);
    if (outcome === 'rejected') recordRejectedMail();
  });

const Recipients = v.array(v.object({ emailAddress: v.pipe(v.string(), v.nonEmpty()) }));

/** What is used of an event (AWS "Contents of event data that Amazon SES publishes", Bounce and Complaint object). */
const Feedback = v.object({
  detail: v.variant('eventType', [
    v.object({
      eventType: v.literal('Bounce'),
      bounce: v.object({ bounceType: v.string(), bouncedRecipients: Recipients }),
    }),
    v.object({
      eventType: v.literal('Complaint'),
      complaint: v.object({ complaintFeedbackType: v.nullish(v.string()), complainedRecipients: Recipients }),
    }),
  ]),
});
type Detail = v.InferOutput<typeof Feedback>['detail'];

/** May get an event more than once, and a later one before an earlier one. */
export const suppressAddress =
  () =>
  async (event: unknown): Promise<void> => {
    const detail = detailOf(event);
    const reason = reasonOf(detail);
    if (!reason) return logger().info('mail feedback without consequences', { type: detail.eventType });
    const { suppressions, clock } = services();
    const addresses = await suppress(suppressions(), clock, addressesOf(detail), reason);
    logger().info('addresses suppressed', { reason, addresses });
  };

/** Undefined where a later mail may be welcome: a full mailbox, an absence note, a mail taken out of the spam folder. */
function reasonOf(detail: Detail): SuppressionReason | undefined {
  if (detail.eventType === 'Bounce') return detail.bounce.bounceType === 'Permanent' ? 'bounce' : undefined;
  return detail.complaint.complaintFeedbackType === 'not-spam' ? undefined : 'complaint';
}

function addressesOf(detail: Detail): string[] {
  const isBounce = detail.eventType === 'Bounce';
  const recipients = isBounce ? detail.bounce.bouncedRecipients : detail.complaint.complainedRecipients;
  return recipients.map(({ emailAddress }) => emailAddress);
}

/** Errors of valibot carry the event along, and its addresses would end up in the log. */
function detailOf(event: unknown): Detail {
  const { success, output, issues } = v.safeParse(Feedback, event);
  if (success) return output.detail;
  const places = issues.map((issue) => v.getDotPath(issue) ?? 'the event');
  throw new Error(`not an event on a mail's fate as SES publishes it: ${places.join(', ')}`);
}
