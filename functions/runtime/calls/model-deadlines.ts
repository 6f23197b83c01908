import type { Route } from '#contract/http/route.ts';
import type { Environment } from '#contract/platform/environment.ts';

/** What a function keeps of its time, once its model was given up, for the response and the settlement. */
const settlementSeconds = 3;

/**
 * Milliseconds that a route's model may take: for a whole reply or each wait for a chunk, and for a stream from its beginning to
 * its end. A stage's settings, but never longer than the route's function has (docs/design/meter.md).
 */
export function modelDeadlines(
  { timeoutSeconds }: Pick<Route, 'timeoutSeconds'>,
  environment: Pick<Environment, 'MODEL_DEADLINE_MS' | 'MODEL_STREAM_DEADLINE_MS'>,
) {
  const maxMs = (timeoutSeconds - settlementSeconds) * 1000;
  return {
    deadlineMs: Math.min(environment.MODEL_DEADLINE_MS, maxMs),
    streamDeadlineMs: Math.min(environment.MODEL_STREAM_DEADLINE_MS, maxMs),
  };
}
