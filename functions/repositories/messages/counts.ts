import type { CountedLimit } from '#domain/messages/ports.ts';
import { seconds } from '../accounts/account-items.ts';
import type { TransactItem } from '../shared/transaction.ts';
import { countKey, ownCount } from './message-items.ts';

/** Counts a message, unless a limit is reached. What accounts share has a count of each of them too: no more than the limit has room for. */
export function counted(TableName: string, limit: CountedLimit): TransactItem {
  const { share } = limit;
  const isBelow = (count: string, max: string) => `(attribute_not_exists(${count}) OR ${count} < ${max})`;
  return {
    Update: {
      TableName,
      ...changeBy(1, limit),
      ConditionExpression: `${isBelow('#count', ':max')}${share ? ` AND ${isBelow('#own', ':share')}` : ''}`,
      ExpressionAttributeValues: { ...valuesOf(1, limit), ':max': limit.max, ...(share && { ':share': share.max }) },
    },
  };
}

/** Takes back that a message was counted. Of a window that is over, nobody notices. */
export function uncounted(TableName: string, limit: CountedLimit): TransactItem {
  return { Update: { TableName, ...changeBy(-1, limit) } };
}

function changeBy(by: 1 | -1, limit: CountedLimit) {
  const { share } = limit;
  return {
    Key: countKey(limit),
    UpdateExpression: `SET #ttl = :ttl ADD #count :by${share ? ', #own :by' : ''}`,
    ExpressionAttributeNames: { '#ttl': 'ttl', '#count': 'count', ...(share && { '#own': ownCount(share.accountId) }) },
    ExpressionAttributeValues: valuesOf(by, limit),
  };
}

const valuesOf = (by: 1 | -1, { endsAt }: CountedLimit) => ({ ':by': by, ':ttl': seconds(endsAt) });
