import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { planOfRank } from '#contract/billing/plans.ts';
import { renewals } from '#domain/billing/grants.ts';
import { metering } from '#domain/meter/metering.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';

/**
 * A worker process that spends as fast as it can, 25 calls at a time: `spender.ts <url> <account> <name> <costs as
 * JSON>`. Prints the outcomes.
 */
export interface Spent {
  readonly admitted: readonly number[];
  readonly refused: readonly number[];
  /** Codes other than INSUFFICIENT_CREDITS. */
  readonly others: readonly string[];
}

const [endpoint = '', accountId = '', name = '', costs = '[]'] = process.argv.slice(2);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, maxAttempts: 3 }));
const { admit } = metering(meterStore(client, 'meters', ambient.random), renewals(planOfRank));
const now = Date.UTC(2027, 2, 1);
const spent = { admitted: [] as number[], refused: [] as number[], others: [] as string[] };

async function call(requestId: string, amount: number): Promise<void> {
  const about = {
    keyId: 'key-1',
    service: 'chat',
    model: 'svc-1',
    minPlanRank: 1,
    now,
    deadline: now / 1000 + 150,
  } as const;
  try {
    const openHold = await admit({ ...about, accountId: Number(accountId), requestId, amount });
    await openHold.settle(amount, now);
    spent.admitted.push(amount);
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : String(error);
    if (code === 'INSUFFICIENT_CREDITS') spent.refused.push(amount);
    else spent.others.push(code);
  }
}

const waiting = [...(JSON.parse(costs) as number[]).entries()];
async function spend(): Promise<void> {
  for (let next = waiting.pop(); next; next = waiting.pop()) await call(`${name}-${next[0]}`, next[1]);
}
await Promise.all(Array.from({ length: 25 }, spend));
process.stdout.write(JSON.stringify(spent satisfies Spent));
