import { hash } from 'node:crypto';
import * as v from 'valibot';
import { daySeconds } from '#contract/shared/time.ts';
import type { Progress, StreamCall } from '#domain/meter/meter.ts';
import { count } from './key-rows.ts';

/**
 * The recorded cost of a stream, an item of its own in the `meters` table: a write every 2 s must not rewrite the
 * account's item with all running calls (docs/adr/0039-holds-of-one-account.md).
 *
 * Names: c cost, o price, x recording has ended, ttl.
 */

/** Bits of the key, whose 37 digits fit DynamoDB's 38. Accounts have positive numbers of at most 53 bits. */
const keyBits = 120;

/** Seconds that progress outlives its call's deadline, in which the sweep must charge a crashed stream. */
const keptSeconds = 30 * daySeconds;

/** Condition that selects the accounts in a scan of the table. */
export const accountsOnly = {
  FilterExpression: 'a > :noAccount',
  ExpressionAttributeValues: { ':noAccount': 0 },
} as const;

const keyOf = ({ accountId, requestId }: StreamCall) => {
  const digest = hash('sha256', `${accountId} ${requestId}`).slice(0, keyBits / 4);
  return { a: -BigInt(`0x${digest}`) - 1n };
};

const names = { '#ttl': 'ttl' };

/** Fails if the stream was cancelled, or its hold has expired and been settled. */
export const recording = (call: StreamCall, { cost, price }: Progress) => ({
  Key: keyOf(call),
  UpdateExpression: `SET c = :cost, #ttl = :ttl${price === undefined ? '' : ', o = :price'}`,
  ConditionExpression: 'attribute_not_exists(x)',
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: {
    ':cost': cost,
    ':ttl': call.deadline + keptSeconds,
    ...(price !== undefined && { ':price': price }),
  },
});

const Row = v.object({ c: count, o: v.string() });

export function progressOf(row: unknown): Progress {
  const { c: cost, o: price } = v.parse(Row, row);
  return { cost, ...(price !== '' && { price }) };
}

/** Prevents further records, and returns the last one. */
export const ending = (call: StreamCall) =>
  ({
    Key: keyOf(call),
    UpdateExpression: 'SET x = :true, c = if_not_exists(c, :zero), o = if_not_exists(o, :none), #ttl = :ttl',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ':true': true, ':zero': 0, ':none': '', ':ttl': call.deadline + keptSeconds },
    ReturnValues: 'UPDATED_NEW',
  }) as const;
