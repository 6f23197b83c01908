import { marshall } from '@aws-sdk/util-dynamodb';
import { benchAccounts } from '../shared/accounts.ts';

/** The rate window's buckets (functions/domain/meter/admission/rate-window.ts): an account that never pauses has all of them. */
const bucketMs = 3000;
const windowBuckets = 21;

const accountPlaceholder = '987654321';
const holdPlaceholder = 'hold-of-the-request';

let made: { readonly bucket: number; readonly text: readonly string[] } = { bucket: 0, text: [] };

/**
 * DynamoDB's response to an UpdateItem on a meter: the item of an account in steady use, under the account and with the hold
 * that the request names. Hardly anything is kept and little is done, so that what is measured is the caller and not a database.
 */
export function updateItemOutput(request: string): string {
  if (!request.includes('"ReturnValues":"ALL_NEW"')) return '{}';
  keyIds.set(accountOf(request), named(request, '"#key":"'));
  return `{"Attributes":${itemOf(request, named(request, '"#request":"'))}}`;
}

/**
 * Its response to a GetItem, which proves the key of a long prompt before its tokens are counted: the same item, with the key of
 * the account's last admission.
 */
export function getItemOutput(request: string): string {
  const keys = marshall({ k: { [keyIds.get(accountOf(request)) ?? '']: 4_000_000_000 } });
  return `{"Item":${itemOf(request, 'a-call-before').slice(0, -1)},${JSON.stringify(keys).slice(1)}}`;
}

/** By account. */
const keyIds = new Map<string, string>();
const accountOf = (request: string): string => named(request, '"Key":{"a":{"N":"');

function itemOf(request: string, hold: string): string {
  const [before, between, after] = template();
  return `${before}${accountOf(request)}${between}${hold}${after}`;
}

/** The text between a mark and the next quote. */
function named(request: string, mark: string): string {
  const start = request.indexOf(mark) + mark.length;
  return request.slice(start, request.indexOf('"', start));
}

/** The text around account and hold. Buckets are named after the time, so it is made again when one begins. */
function template(): readonly string[] {
  const bucket = Math.floor(Date.now() / bucketMs);
  if (made.bucket !== bucket) {
    const text = JSON.stringify(marshall(steadyItem(bucket)));
    made = { bucket, text: text.split(new RegExp(`${accountPlaceholder}|${holdPlaceholder}`)) };
  }
  return made.text;
}

function steadyItem(bucket: number): Record<string, unknown> {
  const [account] = benchAccounts(1);
  const admitted = 5000;
  const names = Array.from({ length: windowBuckets }, (_, age) => (bucket - age).toString(36));
  return {
    // First and in this order, as the template's parts are.
    a: Number(accountPlaceholder),
    h: { [holdPlaceholder]: [1_000_000, Math.ceil(Date.now() / 1000) + 150, 'chat', 'svc-1-32k', 'a'.repeat(22)] },
    ...withoutPlaceholders(account?.item ?? {}),
    n: admitted,
    m: admitted + 2000,
    b: Object.fromEntries(names.map((name, age) => [name, admitted + 2000 - age * 80])),
    u: { chat: 5_000_000_000 },
  };
}

function withoutPlaceholders({
  a: _account,
  h: _holds,
  k: _keys,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  return rest;
}
