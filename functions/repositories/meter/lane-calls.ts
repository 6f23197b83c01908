import type { Attempt } from '#domain/meter/admission.ts';
import { hashOf, laneCalls } from '#domain/meter/lanes.ts';

/** The writes of a call to a lane (lane-item.ts). Separate from its schema, so that a call loads nothing else. */

/** Maximum facts of a lane. A visit of the sweep removes those without a hold. */
const maxFacts = 40;

/** What most holds of an account have in common. No part contains a space. */
export const factsOf = ({ service, model, keyId = '' }: Pick<Attempt, 'service' | 'model' | 'keyId'>): string =>
  `${service} ${model} ${keyId}`;

/** Two characters. Other facts with the same reference are admitted by another lane, or by the account's own item. */
export const referenceTo = (facts: string): string => (hashOf(facts) % 36 ** 2).toString(36).padStart(2, '0');

/** Holds the credits in the lane. The account's rules are those of the meter that is read beside this write. */
export function laneAdmission(attempt: Attempt) {
  const { requestId, amount, deadline, isStream, now } = attempt;
  const facts = factsOf(attempt);
  const reference = referenceTo(facts);
  return {
    UpdateExpression: 'SET h.#request = :hold, f.#facts = :facts, c = c - :amount, n = n + :one REMOVE #last',
    ConditionExpression:
      'attribute_not_exists(h.#request) AND e > :now AND size(h) < :calls AND c >= :amount AND (f.#facts = :facts OR (attribute_not_exists(f.#facts) AND size(f) < :most))',
    ExpressionAttributeNames: { '#request': requestId, '#facts': reference, '#last': 'last' },
    ExpressionAttributeValues: {
      ':hold': [amount, deadline, reference, ...(isStream ? [0] : [])],
      ':facts': facts,
      ':most': maxFacts,
      ':amount': amount,
      ':one': 1,
      ':now': Math.floor(now / 1000),
      ':calls': laneCalls,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;
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
