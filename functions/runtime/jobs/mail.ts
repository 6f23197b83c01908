import * as v from 'valibot';
import { sendWaiting } from '#domain/mail/mail.ts';
import { services } from '../services/container.ts';
import type { HandleImage } from '../stream-image.ts';
import { recordRejectedMail } from '../telemetry.ts';

const Outbox = v.object({ outbox: v.string() });
const ResetRequest = v.object({ resetRequest: v.string() });

export const sendWaitingMail: HandleImage = async (image) => {
  const { outbox, suppressions, mailer, clock } = services();
  const parts = { store: outbox(), suppressions: suppressions(), mailer: await mailer(), clock };
  const outcome = await sendWaiting(parts, v.parse(Outbox, image).outbox);
  if (outcome === 'rejected') recordRejectedMail();
};

export const sendRequestedReset: HandleImage = (image) =>
  services().passwords().sendResetLink(v.parse(ResetRequest, image).resetRequest);
