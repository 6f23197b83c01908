import type { Outcome } from './attempt.ts';

/**
 * The whole body of an answer of 200; what is anything else, or breaks before its end, stays an outcome for the SDK, whose
 * reader then meets the same break.
 */
export async function bodyOf(outcome: Outcome): Promise<string | Outcome> {
  if ('error' in outcome || outcome.reply.head.status !== 200) return outcome;
  try {
    return (await outcome.reply.bytes()).toString();
  } catch {
    return outcome;
  }
}
