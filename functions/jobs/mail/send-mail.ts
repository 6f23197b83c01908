import * as v from 'valibot';
import { sendWaiting } from '#domain/mail/mail.ts';
import { streamJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';
import { recordRejectedMail } from '#runtime/telemetry.ts';

const Image = v.object({ outbox: v.string() });

export const handler = streamJob(async (image) => {
  const { outbox, suppressions, mailer, clock } = services();
  const parts = { store: outbox(), suppressions: suppressions(), mailer: await mailer(), clock };
  const outcome = await sendWaiting(parts, v.parse(Image, image).outbox);
  if (outcome === 'rejected') recordRejectedMail();
});
