import { services } from '#runtime/container.ts';
import { streamJob } from '#runtime/stream-job.ts';
import { recordCharge } from '#runtime/telemetry.ts';

export const handler = streamJob(async (image) => {
  const rows = await services().ledger().project(image);
  for (const { type, service, amount } of rows) {
    if (type === 'charge' && service && amount < 0) recordCharge(service, -amount);
  }
});
