import { BodyTooLarge, collectBody } from '#gateways/bounded-body.ts';
import type { Outcome } from './attempt.ts';

/**
 * The whole body of an answer of 200, which rejects with BodyTooLarge where it has more than so many bytes; what is anything
 * else, or breaks before its end, stays an outcome for the SDK, whose reader then meets the same break.
 */
export async function bodyOf(outcome: Outcome, maxBytes: number): Promise<string | Outcome> {
  if ('error' in outcome || outcome.reply.head.status !== 200) return outcome;
  try {
    return (await collectBody(outcome.reply, maxBytes)).toString();
  } catch (error) {
    if (error instanceof BodyTooLarge) throw error;
    return outcome;
  }
}
