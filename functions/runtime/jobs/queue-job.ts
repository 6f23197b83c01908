import { gunzipSync } from 'node:zlib';
import type { CloudWatchLogsEvent, SQSBatchItemFailure, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import * as v from 'valibot';
import { type HandleImage, itemOf } from '../stream-image.ts';
import { logger } from '../telemetry.ts';

/**
 * A Lambda on a queue. Messages that fail are reported, each by itself, and the queue hands them out again. `concurrent`: those of a batch are
 * handled beside each other.
 */
export function queueJob(handle: (message: unknown) => Promise<void>, { concurrent = false } = {}) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchItemFailure[] = [];
    async function attempt({ messageId, body }: SQSRecord): Promise<void> {
      try {
        await handle(JSON.parse(body));
      } catch (error) {
        logger().error('a message failed and will be tried again', { messageId, error });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    if (concurrent) await Promise.all(Records.map(attempt));
    else for (const record of Records) await attempt(record);
    return { batchItemFailures };
  };
}

/** On the queue of an `itemStreamJob`: does with each image what that could not do. */
export function imageRetryJob(handle: HandleImage) {
  return queueJob(async (image) => handle(itemOf(image)));
}

/** Part of a job's timeout in which it begins work; the rest is for running work to end. */
const share = 0.8;

/** Aborts when a run should begin no more work, so that Lambda does not cut it off. */
export const workSignal = ({ timeoutSeconds }: { readonly timeoutSeconds: number }): AbortSignal =>
  AbortSignal.timeout(timeoutSeconds * 1000 * share);

const LogData = v.object({ logEvents: v.array(v.object({ message: v.string() })) });

/**
 * A Lambda on a subscription to log groups, which may deliver a line more than once (AWS "Using CloudWatch Logs subscription
 * filters"). A line that is not as the schema has it is reported, without its text, and left out.
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
      if (places.length > 0) logger().error('a log line has no record that can be read', { places });
    }
    await handle(parsed.flatMap(({ success, output }) => (success ? [output] : [])));
  };
}
