import type { ErrorCode } from '../shared/errors.ts';

/** CloudWatch metrics that functions write in the namespace of their stage, for alarms and dashboard. */
export const metrics = {
  /** Completed requests by route, and milliseconds until the response was ready or sent. */
  calls: 'calls',
  latency: 'latency',
  /** Milliseconds by route until the first chunk of a stream was sent. */
  firstByte: 'firstByte',
  /** Refused and failed requests by error code. */
  refusals: 'refusals',
  /** Responses of models with several endpoints, by model and position of the endpoint. */
  modelResponses: 'modelResponses',
  /** Responses of such models from any endpoint but the first. */
  fallbackResponses: 'fallbackResponses',
  /** Credits charged by service, as in the ledger. */
  credits: 'credits',
  /** Seconds by which the oldest open hold was past its deadline when the sweep found it. */
  overdueHold: 'overdueHold',
  /** Calls whose settlement failed to be written. The sweep settles them. */
  lostSettlements: 'lostSettlements',
  /** Prompts and responses that could not be stored. */
  lostContents: 'lostContents',
  /** Emails that SES rejected permanently. */
  rejectedMails: 'rejectedMails',
  /** Received payments that could not be granted. */
  refusedPayments: 'refusedPayments',
  /** Differences between payments and credits that the daily reconciliation found. */
  paymentDifferences: 'paymentDifferences',
} as const;

/** 1 for a failed run of the canary, 0 for a successful one. Only in stages with a canary. */
export const failedWalks = 'failedWalks';

/** Dimensions of metrics, in addition to `service`, which Powertools adds. */
export const dimensions = { route: 'route', cause: 'cause', chargedAs: 'chargedAs', endpoint: 'endpoint' } as const;

/** Value of the dimension `endpoint`: `acme-large 2` is the first fallback. */
export const endpointName = (model: string, position: number): string => `${model} ${position}`;

/** Value of the dimension `service` (POWERTOOLS_SERVICE_NAME). */
export const metricsService = 'text-ai';

/** Error codes caused by models. Other errors are caused by the caller or this service. */
export const modelFailures = ['MODEL_ERROR', 'MODEL_TIMEOUT'] as const satisfies readonly ErrorCode[];
