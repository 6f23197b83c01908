import { marshall } from '@aws-sdk/util-dynamodb';
import { tableVariables } from '#contract/platform/environment.ts';
import { tables } from '#contract/platform/resources.ts';
import { benchAccounts } from '../shared/database.ts';

/**
 * Runs the ledger projector over stream records of settled calls. The last line of output is its CPU time per record,
 * in ms. Usage: `projector.ts <database> <records>`.
 */
const [database = '', count = ''] = process.argv.slice(2);
Object.assign(process.env, {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_ENDPOINT_URL_DYNAMODB: database,
  [tableVariables.ledger]: tables.ledger.name,
  [tableVariables.accounts]: tables.accounts.name,
  POWERTOOLS_SERVICE_NAME: 'text-ai',
  POWERTOOLS_METRICS_NAMESPACE: 'text-ai',
});
const { projectLedger } = await import('#jobs/billing.ts');
const handler = projectLedger();

const [account] = benchAccounts(1);
const now = Math.floor(Date.now() / 1000);
let seq = 0;

function record() {
  seq += 1;
  const charge = { t: 'charge', at: now, v: -1_000_000, s: 'chat', o: 'svc-1', k: 'a'.repeat(22), r: `request-${seq}` };
  return {
    dynamodb: {
      NewImage: marshall({ ...account?.item, seq, u: { chat: seq }, last: [charge] }),
      SequenceNumber: String(seq),
    },
  };
}

/** Batches of 100 records, the maximum of the event source mapping. */
async function project(records: number): Promise<void> {
  for (let left = records; left > 0; left -= 100) {
    const Records = Array.from({ length: Math.min(100, left) }, record);
    const { batchItemFailures } = await handler(Object.assign({ Records }));
    if (batchItemFailures.length > 0) throw new Error('a record was not projected');
  }
}

await project(300);
const before = process.cpuUsage();
await project(Number(count));
const { user, system } = process.cpuUsage(before);
process.stdout.write(`\n${String((user + system) / 1000 / Number(count))}\n`);
