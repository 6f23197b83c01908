import { marshall } from '@aws-sdk/util-dynamodb';
import { benchAccounts } from '../accounts.ts';

/** The rate window's buckets (functions/domain/meter/rate-window.ts): an account that never pauses has all of them. */
const bucketMs = 3000;
const windowBuckets = 21;

const placeOfAccount = '987654321';
const placeOfHold = 'hold-of-the-request';

let made = { bucket: 0, text: '' };

/**
 * DynamoDB's answer to an UpdateItem on a meter: the item of an account in steady use, under the account and with the hold
 * that the request names. Nothing is kept, so that what is measured is the caller and not a database.
 */
export function answerUpdate(request: string): string {
  if (!request.includes('"ReturnValues":"ALL_NEW"')) return '{}';
  const requestId = /"#request":"([^"]+)"/.exec(request)?.[1] ?? '';
  const accountId = /"Key":\{"a":\{"N":"(\d+)"/.exec(request)?.[1] ?? '';
  return template().replace(placeOfAccount, accountId).replace(placeOfHold, requestId);
}

/** Buckets are named after the time, so the item is made anew when one begins. */
function template(): string {
  const bucket = Math.floor(Date.now() / bucketMs);
  if (made.bucket !== bucket) made = { bucket, text: JSON.stringify({ Attributes: marshall(steadyItem(bucket)) }) };
  return made.text;
}

function steadyItem(bucket: number): Record<string, unknown> {
  const [account] = benchAccounts(1);
  const admitted = 5000;
  const names = Array.from({ length: windowBuckets }, (_, age) => (bucket - age).toString(36));
  return {
    ...account?.item,
    a: Number(placeOfAccount),
    n: admitted,
    m: admitted + 2000,
    b: Object.fromEntries(names.map((name, age) => [name, admitted + 2000 - age * 80])),
    h: { [placeOfHold]: [1_000_000, Math.ceil(Date.now() / 1000) + 150, 'chat', 'svc-1-32k', 'a'.repeat(22)] },
    u: { chat: 5_000_000_000 },
  };
}
