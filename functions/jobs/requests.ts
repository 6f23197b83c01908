import { RecordedLine } from '#contract/platform/request-record.ts';
import { recordRequests as record } from '#domain/requests/request-log.ts';
import { logJob } from '#runtime/jobs/log-job.ts';
import { services } from '#runtime/services/container.ts';

/** Idempotent: a repeated line has the key of its record. */
export const recordRequests = () =>
  logJob(RecordedLine, async (lines) => {
    const { requests, clock } = services();
    await record(await requests(), clock, lines);
  });
