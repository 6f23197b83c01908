import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import * as v from 'valibot';
import { microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import { dimensions, failedWalks, metrics } from '#contract/platform/metrics.ts';
import type { RequestLine } from '#middleware/request-log.ts';
import { ambient, perEnvironment } from './process.ts';

/** Reads POWERTOOLS_* from the environment when first used. Of errors it writes what `described` lets through. */
export const logger = perEnvironment(
  () => new Logger({ jsonReplacerFn: (_, value: unknown) => (value instanceof Error ? described(value) : value) }),
);
const figures = perEnvironment(() => new Figures());

class Figures extends Metrics {
  override isDisabled(): boolean {
    return super.isDisabled();
  }
}

/** One line in the log, which CloudWatch takes its metrics from too (AWS "Embedded metric format"). */
export function recordRequest({ route, latencyMs, firstByteMs, ...others }: RequestLine): void {
  const values = { [metrics.latency]: latencyMs, [metrics.firstByte]: firstByteMs };
  if (!figures().isDisabled()) {
    const { _aws, ...declared } = requestMetrics(route, firstByteMs !== undefined);
    const line = { _aws: { ..._aws, Timestamp: Date.now() }, ...declared, ...values, message: 'request', ...others };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  if (others.record) ambient.followRecords?.(JSON.stringify({ [dimensions.route]: route, ...values, ...others }));
  if (others.code) count(dimensions.cause, others.code, metrics.refusals, 1);
}

const declarations = perEnvironment(() => new Map<string, ReturnType<Metrics['serializeMetrics']>>());

/** What the lines of a route's requests have in common. Powertools takes as long to make it as all else of a line (docs/performance.md). */
function requestMetrics(route: string, isStreamed: boolean) {
  const kind = `${route} ${isStreamed}`;
  const known = declarations().get(kind);
  if (known) return known;
  const declared = new Metrics().addDimension(dimensions.route, route);
  declared.addMetric(metrics.calls, MetricUnit.Count, 1).addMetric(metrics.latency, MetricUnit.Milliseconds, 0);
  if (isStreamed) declared.addMetric(metrics.firstByte, MetricUnit.Milliseconds, 0);
  const made = declared.serializeMetrics();
  declarations().set(kind, made);
  return made;
}

/** Credits (in microcredits) that the ledger charged. */
export function recordCharge(chargedAs: ServiceName, cost: number): void {
  count(dimensions.chargedAs, chargedAs, metrics.credits, cost / microPerCredit);
}

/** How late the sweep found the oldest hold of a dead call; written with every run, so that silence shows too. */
export function recordSweep(lateSeconds: number): void {
  figures().addMetric(metrics.overdueHold, MetricUnit.Seconds, lateSeconds);
  figures().publishStoredMetrics();
}

/** How a walk of the canary ended; written with every walk, so that silence shows too. */
export function recordWalk(hasFailed: boolean): void {
  figures().addMetric(failedWalks, MetricUnit.Count, hasFailed ? 1 : 0);
  figures().publishStoredMetrics();
}

/** A call that could not be settled: its hold expires, and is settled then. */
export function recordLostSettlement(): void {
  figures().addMetric(metrics.lostSettlements, MetricUnit.Count, 1);
  figures().publishStoredMetrics();
}

/** An email that SES rejected permanently, so that it is never delivered. */
export function recordRejectedMail(): void {
  figures().addMetric(metrics.rejectedMails, MetricUnit.Count, 1);
  figures().publishStoredMetrics();
}

function count(dimension: string, value: string, metric: string, amount: number): void {
  figures().addDimension(dimension, value);
  figures().addMetric(metric, MetricUnit.Count, amount);
  figures().publishStoredMetrics();
}

const AwsParts = v.object({
  code: v.optional(v.string()),
  $metadata: v.optional(v.object({ httpStatusCode: v.optional(v.number()), requestId: v.optional(v.string()) })),
  CancellationReasons: v.optional(v.array(v.object({ Code: v.optional(v.string()) }))),
});

/**
 * The fields of an error that may be logged: what it is and where it came from, nothing of what it was about. Errors
 * carry more: Valibot's the row or reply that did not fit, DynamoDB's the item that failed a condition, JSON's and
 * SES's the text that they complain of.
 */
function described(error: Error): Record<string, unknown> {
  const parts = v.safeParse(AwsParts, error);
  const { code, $metadata, CancellationReasons } = parts.success ? parts.output : {};
  return {
    name: error.name,
    message: safeMessage(error, $metadata !== undefined),
    code,
    status: $metadata?.httpStatusCode,
    awsRequestId: $metadata?.requestId,
    reasons: CancellationReasons?.map(({ Code }) => Code),
    stack: error.stack?.split('\n').filter((line) => /^ +at /.test(line)),
    cause: error.cause instanceof Error ? error.cause : undefined,
  };
}

const ownErrors = new Set(['Error', 'TypeError', 'RangeError', 'ReferenceError', 'ServiceError']);

/** Our own messages and those of AWS, without addresses and credentials; of Valibot's, which rule a field broke. */
function safeMessage(error: Error, isAws: boolean): string | undefined {
  if (v.isValiError(error)) return error.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.type}`).join(', ');
  if (!isAws && !ownErrors.has(error.name)) return undefined;
  return error.message.replaceAll(/(?<![^\s"<>])[^\s"<>]+@[^\s'"<>]+|\bta[iscrde]_\w+/g, '…');
}
