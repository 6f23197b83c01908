import { gunzipSync } from 'node:zlib';
import type { CloudWatchLogsEvent } from 'aws-lambda';
import * as v from 'valibot';
import { logger } from '../telemetry.ts';

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
