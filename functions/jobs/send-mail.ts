import * as v from 'valibot';
import { sendWaiting } from '#domain/outbox.ts';
import { services } from '#runtime/container.ts';
import { streamJob } from '#runtime/stream-job.ts';

const Image = v.object({ outbox: v.string() });

export const handler = streamJob(async (image) => {
  const { outbox, mailer, clock } = services();
  await sendWaiting(outbox(), mailer(), clock, v.parse(Image, image).outbox);
});
