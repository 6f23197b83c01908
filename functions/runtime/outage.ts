import * as v from 'valibot';
import { ServiceError } from '#domain/shared/service-error.ts';

const names = new Set([
  // SES (AWS "Common errors", SES API v1)
  'AccountSendingPausedException',
  'ConfigurationSetSendingPausedException',
  'Throttling',
  // DynamoDB and others
  'InternalServerError',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'ThrottlingException',
  'TimeoutError',
  'TransactionConflictException',
  'TransactionInProgressException',
]);
const codes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN']);
const passingReasons = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

const AwsError = v.object({
  name: v.string(),
  code: v.optional(v.string()),
  $metadata: v.optional(v.object({ httpStatusCode: v.optional(v.number()) })),
  CancellationReasons: v.optional(v.array(v.object({ Code: v.optional(v.string()) }))),
});

/** Maps an unavailable or throttling dependency to 503, after the client's own retries. */
export function explainOutage(cause: unknown): ServiceError | undefined {
  const parsed = v.safeParse(AwsError, cause);
  if (!parsed.success) return undefined;
  const { name, code = '', $metadata, CancellationReasons = [] } = parsed.output;
  const isPassing =
    names.has(name) ||
    codes.has(code) ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    CancellationReasons.some((reason) => passingReasons.has(reason.Code ?? ''));
  if (!isPassing) return undefined;
  return new ServiceError('SERVICE_UNAVAILABLE', 'The service is busy. Try again.', { cause, retryAfterSeconds: 1 });
}
