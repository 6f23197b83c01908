import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import * as v from 'valibot';
import { microPerCredit, type ServiceName } from '#contract/billing/prices.ts';
import { dimensions, endpointName, failedWalks, metrics } from '#contract/platform/metrics.ts';
import type { RequestLine } from '#middleware/request-log.ts';
import { ambient, perEnvironment } from './process.ts';

export const logger = perEnvironment(
  () => new Logger({ jsonReplacerFn: (_, value: unknown) => (value instanceof Error ? described(value) : value) }),
);
const requestMetrics = perEnvironment(() => new RequestMetrics());

/** Makes `isDisabled` public. */
class RequestMetrics extends Metrics {
  override isDisabled(): boolean {
    return super.isDisabled();
  }
}

/** Writes one log line, from which CloudWatch also extracts metrics (AWS "Embedded metric format"). */
export function recordRequest({ route, latencyMs, firstByteMs, ...others }: RequestLine): void {
  const values = { [metrics.latency]: latencyMs, [metrics.firstByte]: firstByteMs };
  if (!requestMetrics().isDisabled()) {
    const { _aws, ...declared } = metricDeclaration(route, firstByteMs !== undefined);
    const line = { _aws: { ..._aws, Timestamp: Date.now() }, ...declared, ...values, message: 'request', ...others };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  if (others.record) ambient.followRecords?.(JSON.stringify({ [dimensions.route]: route, ...values, ...others }));
  if (others.code) count(dimensions.cause, others.code, metrics.refusals, 1);
}

const declarations = perEnvironment(() => new Map<string, ReturnType<Metrics['serializeMetrics']>>());

/** Cached by route: Powertools needs as long to build it as for the rest of the line (docs/performance.md). */
function metricDeclaration(route: string, isStreamed: boolean) {
  const kind = `${route} ${isStreamed}`;
  const known = declarations().get(kind);
  if (known) return known;
  const declared = new Metrics().addDimension(dimensions.route, route);
  declared.addMetric(metrics.calls, MetricUnit.Count, 1).addMetric(metrics.latency, MetricUnit.Milliseconds, 0);
  if (isStreamed) declared.addMetric(metrics.firstByte, MetricUnit.Milliseconds, 0);
  const created = declared.serializeMetrics();
  declarations().set(kind, created);
  return created;
}

export function recordCharge(chargedAs: ServiceName, cost: number): void {
  count(dimensions.chargedAs, chargedAs, metrics.credits, cost / microPerCredit);
}

/** `position` of the endpoint that responded, from 1. */
export function recordModelResponse(model: string, position: number): void {
  count(dimensions.endpoint, endpointName(model, position), metrics.modelResponses, 1);
  if (position === 1) return;
  emit(metrics.fallbackResponses, MetricUnit.Count, 1);
}

/** An endpoint that failed before another one was tried. */
export function logModelFailure(model: string, position: number, error: unknown): void {
  logger().warn('a model endpoint failed', { endpoint: endpointName(model, position), error });
}

/** Written on every run, so that missing data is visible. */
export function recordSweep(lateSeconds: number): void {
  emit(metrics.overdueHold, MetricUnit.Seconds, lateSeconds);
}

/** Written on every walk, so that missing data is visible. */
export function recordWalk(hasFailed: boolean): void {
  emit(failedWalks, MetricUnit.Count, hasFailed ? 1 : 0);
}

export function recordLostSettlement(): void {
  emit(metrics.lostSettlements, MetricUnit.Count, 1);
}

export function recordLostContent(): void {
  emit(metrics.lostContents, MetricUnit.Count, 1);
}

export function recordRejectedMail(): void {
  emit(metrics.rejectedMails, MetricUnit.Count, 1);
}

/** Written on every comparison, so that missing data is visible. */
export function recordPaymentDifferences(differences: number): void {
  emit(metrics.paymentDifferences, MetricUnit.Count, differences);
}

export function recordRefusedPayment(): void {
  emit(metrics.refusedPayments, MetricUnit.Count, 1);
}

function count(dimension: string, value: string, metric: string, amount: number): void {
  requestMetrics().addDimension(dimension, value);
  emit(metric, MetricUnit.Count, amount);
}

function emit(...metric: Parameters<Metrics['addMetric']>): void {
  requestMetrics().addMetric(...metric);
  requestMetrics().publishStoredMetrics();
}

const AwsParts = v.object({
  code: v.optional(v.string()),
  $metadata: v.optional(v.object({ httpStatusCode: v.optional(v.number()), requestId: v.optional(v.string()) })),
  CancellationReasons: v.optional(v.array(v.object({ Code: v.optional(v.string()) }))),
});

/**
 * Selects the fields that are safe to log. Valibot errors contain the row, DynamoDB errors the item, and JSON and SES
 * errors the rejected text.
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

/** Returns our own and AWS's messages without addresses and credentials. For Valibot, returns the violated rules. */
function safeMessage(error: Error, isAws: boolean): string | undefined {
  if (v.isValiError(error)) return error.issues.map((issue) => `${v.getDotPath(issue)}: ${issue.type}`).join(', ');
  if (!isAws && !ownErrors.has(error.name)) return undefined;
  return error.message.replaceAll(/(?<![^\s"<>])[^\s"<>]+@[^\s'"<>]+|\bta[iscrdef]_\w+/g, '…');
}
