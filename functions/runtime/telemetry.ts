import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { microPerCredit } from '#contract/prices.ts';
import type { RequestLine } from '#middleware/request-log.ts';
import { lazy } from './lazy.ts';

/** Reads POWERTOOLS_* from the environment when first used. */
export const logger = lazy(() => new Logger());
const metrics = lazy(() => new Metrics());

/** The line goes to the log, its figures as embedded metrics to CloudWatch. */
export function recordRequest(line: RequestLine): void {
  logger().info('request', { ...line });
  const { route, status, latencyMs, cost } = line;
  const figures = metrics();
  figures.addDimension('route', route);
  figures.addMetric('calls', MetricUnit.Count, 1);
  figures.addMetric('latency', MetricUnit.Milliseconds, latencyMs);
  if (cost > 0) figures.addMetric('credits', MetricUnit.Count, cost / microPerCredit);
  if (status >= 400) figures.addMetric(status >= 500 ? 'failures' : 'refusals', MetricUnit.Count, 1);
  figures.addMetadata('status', String(status));
  figures.publishStoredMetrics();
}
