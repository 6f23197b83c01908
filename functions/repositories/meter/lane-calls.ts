import type { Attempt } from '#domain/meter/admission.ts';
import { hashOf, laneCalls } from '#domain/meter/lanes.ts';

/** The writes of a call to a lane (lane-item.ts). Separate from its schema, so that a call loads nothing else. */

/** Maximum facts of a lane. A visit of the sweep removes those without a hold. */
const maxFacts = 40;

/** What most holds of an account have in common. No part contains a space. */
export const factsOf = ({ service, model, keyId = '' }: Pick<Attempt, 'service' | 'model' | 'keyId'>): string =>
  `${service} ${model} ${keyId}`;

/** Returns two characters. A hold contains its facts instead of a reference if the lane cannot store them. */
export const referenceTo = (facts: string): string => (hashOf(facts) % 36 ** 2).toString(36).padStart(2, '0');

interface FactsUpdate {
  readonly set: string;
  readonly condition: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string | number>>;
}

/**
 * Holds the credits in the lane. The account's other rules are checked on its meter, which is read at the same time.
 * `hasOwnFacts`: the hold contains its facts, without a reference.
 */
export function laneAdmission(attempt: Attempt, hasOwnFacts = false) {
  const { requestId, amount, deadline, isStream, now } = attempt;
  const facts = factsOf(attempt);
  const reference = referenceTo(facts);
  const shared: FactsUpdate = hasOwnFacts
    ? { set: '', condition: '', names: {}, values: {} }
    : {
        set: ' f.#facts = :facts,',
        condition: ' AND (f.#facts = :facts OR (attribute_not_exists(f.#facts) AND size(f) < :most))',
        names: { '#facts': reference },
        values: { ':facts': facts, ':most': maxFacts },
      };
  return {
    UpdateExpression: `SET h.#request = :hold,${shared.set} c = c - :amount, n = n + :one REMOVE #last`,
    ConditionExpression: `attribute_not_exists(h.#request) AND e > :now AND size(h) < :calls AND c >= :amount${shared.condition}`,
    ExpressionAttributeNames: { '#request': requestId, '#last': 'last', ...shared.names },
    ExpressionAttributeValues: {
      ':hold': [amount, deadline, hasOwnFacts ? facts : reference, ...(isStream ? [0] : [])],
      ':amount': amount,
      ':one': 1,
      ':now': Math.floor(now / 1000),
      ':calls': laneCalls,
      ...shared.values,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
}

/** Whether the lane refused an attempt only because it cannot store the facts. */
export function lacksRoomForFacts(lane: Readonly<Record<string, unknown>> | undefined, attempt: Attempt): boolean {
  const { c, e, h } = lane ?? {};
  const hasCredits = Number(e) > Math.floor(attempt.now / 1000) && Number(c) >= attempt.amount;
  return hasCredits && Object.keys(h ?? {}).length < laneCalls;
}

export const laneRelease = ({ requestId, amount }: Attempt) =>
  ({
    UpdateExpression: 'SET c = c + :amount REMOVE h.#request, #last',
    ConditionExpression: 'attribute_exists(h.#request)',
    ExpressionAttributeNames: { '#request': requestId, '#last': 'last' },
    ExpressionAttributeValues: { ':amount': amount },
  }) as const;

export function isHeldIn(lane: Readonly<Record<string, unknown>> | undefined, requestId: string): boolean {
  const holds = lane?.['h'];
  return typeof holds === 'object' && holds !== null && Object.hasOwn(holds, requestId);
}
