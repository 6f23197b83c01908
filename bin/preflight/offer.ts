import { offer } from '#contract/offer/current-offer.ts';
import type { Stage } from '#lib/stage.ts';
import { missingFromOffer } from '#runtime/services/offer-use.ts';
import { findStack } from './account.ts';
import { type Clients, type Finding, missing, ok, type Result, run, unknown } from './clients.ts';

/** Bounds the scan of the tables: about 20 GB. */
const maxMs = 5 * 60_000;

/** Checks that the offer has what accounts, keys and agents of a deployed stage name. Empty before the first deployment. */
export async function offerChecks(clients: Clients, { name }: Stage): Promise<Result[]> {
  const stack = await findStack(clients.cloudFormation, `text-ai-${name}-data`).catch(() => undefined);
  const outputs = new Map(stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const [meters, agents] = [outputs.get('metersTableName'), outputs.get('agentsTableName')];
  if (meters === undefined || agents === undefined) return [];
  return [await run('Offer', () => checkOffer(clients, { meters, agents }))];
}

async function checkOffer({ dynamo }: Clients, tables: { meters: string; agents: string }): Promise<Finding> {
  const gaps = await missingFromOffer(dynamo, tables, offer, AbortSignal.timeout(maxMs));
  if (gaps.missing !== undefined) return missing(gaps.missing);
  if (!gaps.isComplete)
    return unknown('Reading all accounts and agents takes more than 5 minutes; nothing is missing so far.');
  return ok(`version ${offer.version} has the plans and models of all accounts, keys and agents`);
}
