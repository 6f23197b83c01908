import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Offer } from '#contract/offer/offer.ts';
import { type OfferGaps, offerGaps, type OfferUseTables } from '#repositories/operators/offer-use.ts';

/**
 * Describes the plans and models that accounts, keys or agents have and the offer lacks, or returns undefined.
 * `isComplete` is false if the signal ended the search.
 */
export async function missingFromOffer(
  client: DynamoDBDocumentClient,
  tables: OfferUseTables,
  offer: Offer,
  signal: AbortSignal,
): Promise<{ readonly missing: string | undefined; readonly isComplete: boolean }> {
  const gaps = await offerGaps(client, tables, offer, signal);
  return { missing: sentenceOf(gaps), isComplete: gaps.isComplete };
}

const list = new Intl.ListFormat('en-GB');

function sentenceOf({ plans, keys, agents }: OfferGaps): string | undefined {
  const named = (what: string, counts: ReadonlyMap<string, number>, unit: string) =>
    [...counts].map(([name, count]) => `the ${what} ${name} of ${count} ${unit}${count === 1 ? '' : 's'}`);
  const planGaps = named('plan', plans, 'account');
  const modelGaps = [...named('model', keys, 'key'), ...named('model', agents, 'agent')];
  if (planGaps.length + modelGaps.length === 0) return undefined;
  const remedies = [
    ...(planGaps.length > 0 ? ['a plan with its id, hidden or with endsOn and replacedBy'] : []),
    ...(modelGaps.length > 0 ? ['a model with retiredFrom and replacedBy, or as an alias of another one'] : []),
  ];
  return `The offer lacks ${list.format([...planGaps, ...modelGaps])}: keep ${list.format(remedies)}.`;
}
