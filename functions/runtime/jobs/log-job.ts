import { gunzipSync } from 'node:zlib';
import type { CloudWatchLogsEvent } from 'aws-lambda';
import * as v from 'valibot';
import { logger } from '../shared/telemetry.ts';

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
