import { gunzipSync } from 'node:zlib';
import type { CloudWatchLogsEvent, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { type HandleImage, itemOf } from '../stream-image.ts';
import { logger } from '../telemetry.ts';

/** Creates a Lambda for a queue. Reports failed messages individually, so that only they are redelivered. */
export function queueJob(handle: (message: unknown) => Promise<void>, { concurrent = false } = {}) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchItemFailure[] = [];
    async function attempt({ messageId, body }: SQSRecord): Promise<void> {
      try {
        await handle(JSON.parse(body));
      } catch (error) {
        logger().error('a message failed and will be retried', { messageId, error });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    if (concurrent) await Promise.all(Records.map(attempt));
    else for (const record of Records) await attempt(record);
    return { batchItemFailures };
  };
}

export function imageRetryJob(handle: HandleImage) {
  return queueJob(async (image) => handle(itemOf(image)));
}

/** Share of the timeout in which a job starts new work. The rest lets running work finish. */
const share = 0.8;

/** Aborts when a job should stop starting new work, before Lambda times out. */
export const workSignal = ({ timeoutSeconds }: { readonly timeoutSeconds: number }): AbortSignal =>
  AbortSignal.timeout(timeoutSeconds * 1000 * share);

const LogData = v.object({ logEvents: v.array(v.object({ message: v.string() })) });

/**
 * Creates a Lambda for a log subscription, which may repeat a line (AWS "Using CloudWatch Logs subscription
 * filters").
 */
export function logJob<Schema extends v.GenericSchema>(
  schema: Schema,
  handle: (lines: readonly v.InferOutput<Schema>[]) => Promise<void>,
) {
  const Line = v.pipe(v.string(), v.parseJson(), schema);
  return async ({ awslogs }: CloudWatchLogsEvent): Promise<void> => {
    const { logEvents } = v.parse(LogData, JSON.parse(gunzipSync(Buffer.from(awslogs.data, 'base64')).toString()));
    const parsed = logEvents.map(({ message }) => v.safeParse(Line, message));
    for (const { issues = [] } of parsed) {
      const places = issues.map((issue) => v.getDotPath(issue) ?? 'the line');
      if (places.length > 0) logger().error('a log line has an unreadable record', { places });
    }
    await handle(parsed.flatMap(({ success, output }) => (success ? [output] : [])));
  };
}
