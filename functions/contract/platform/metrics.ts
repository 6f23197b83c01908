import type { ErrorCode } from '../shared/errors.ts';

/** Metrics that functions write to CloudWatch, in the namespace of their stage; alarms and dashboard read them. */
export const metrics = {
  /** By route: completed requests, and milliseconds until their responses were ready or sent. */
  calls: 'calls',
  latency: 'latency',
  /** By route: milliseconds until the first piece of a stream left. */
  firstByte: 'firstByte',
  /** By cause, a code of the table of errors: refused and failed requests. */
  refusals: 'refusals',
  /** By what it was charged as: credits, as the ledger has them. */
  credits: 'credits',
  /** Seconds by which the oldest open hold had passed its deadline when the sweep found it. */
  overdueHold: 'overdueHold',
  /** Calls whose settlement could not be written, so that the sweep settles them. */
  lostSettlements: 'lostSettlements',
  /** Emails that SES rejected permanently. */
  rejectedMails: 'rejectedMails',
} as const;

/** 1 for a walk of the canary that failed, 0 for one that did not; written where the stage has one. */
export const failedWalks = 'failedWalks';

/** Dimensions of metrics, beside `service`, which Powertools adds. */
export const dimensions = { route: 'route', cause: 'cause', chargedAs: 'chargedAs' } as const;

/** Value of the dimension `service` (POWERTOOLS_SERVICE_NAME). */
export const metricsService = 'text-ai';

/** Causes that are the models' own; the other refusals are the caller's or ours. */
export const modelFailures = ['MODEL_ERROR', 'MODEL_TIMEOUT'] as const satisfies readonly ErrorCode[];
