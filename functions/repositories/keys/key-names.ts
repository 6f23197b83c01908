import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import type { KeyNames } from '#domain/requests/request-log.ts';
import { apiKeyKey } from '../accounts/account-items.ts';
import { readItems } from '../shared/read-items.ts';
import { readable } from '../shared/readable.ts';

const Named = v.object({ sk: v.string(), name: v.fallback(v.string(), '') });

/** Reads the names of some keys, each once; without keys it reads nothing. */
export function keyNames(client: DynamoDBDocumentClient, accountsTable: string): KeyNames {
  return async (accountId, ids) => {
    const keys = ids.map((id) => apiKeyKey(accountId, id));
    const items = await readItems(client, accountsTable, keys, ['sk', 'name']);
    const prefix = apiKeyKey(accountId, '').sk.length;
    return new Map(readable(Named, items).map(({ sk, name }) => [sk.slice(prefix), name]));
  };
}
