import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { ListedItem, ResponseObject } from '#contract/inference/response-items.ts';
import type { ResponseStore, StoredResponse } from '#domain/inference/stored-responses.ts';
import { seconds } from '../accounts/account-items.ts';
import { deleteKeys, deletePartition } from '../shared/deletion.ts';
import { accountPartition, type Key, readItem, readItems } from '../shared/read-items.ts';

/**
 * A response is one compressed JSON text, in parts of one item each: a DynamoDB item is limited to 400 KB. The first
 * part is written last and read first, and contains the number of parts.
 */
const partBytes = 350_000;
const maxParts = 10;

/**
 * Bytes of a response's JSON: its body of at most 1 MiB, whose parts are described, and its output. Several are read
 * together.
 */
const maxBytes = 4 * 1024 * 1024;

const compress = promisify(gzip);
const expand = promisify(gunzip);

const Part = v.object({ sk: v.string(), data: v.instance(Uint8Array) });
const First = v.object({ ...Part.entries, parts: v.number(), expiresAt: v.number() });

const Content = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ response: ResponseObject, input: v.array(ListedItem), chain: v.array(v.string()) }),
);

export function responseStore(client: DynamoDBDocumentClient, table: string): ResponseStore {
  const readParts = async (keys: readonly Key[]) => {
    const found = (await readItems(client, table, keys)).map((item) => v.parse(Part, item));
    return new Map(found.map((part) => [part.sk, part]));
  };

  async function whole(accountId: number, first: v.InferOutput<typeof First>): Promise<StoredResponse> {
    const id = idIn(first.sk);
    const rest = Array.from({ length: first.parts - 1 }, (_, index) => partKey(accountId, id, index + 1));
    const read = await readParts(rest);
    const parts = rest.map(({ sk }) => v.parse(Part, read.get(sk)).data);
    const text = await expand(Buffer.concat([first.data, ...parts]), { maxOutputLength: maxBytes });
    return { accountId, expiresAt: first.expiresAt, ...v.parse(Content, text.toString()) };
  }

  const isCurrent = (first: unknown, now: number): first is v.InferOutput<typeof First> =>
    v.is(First, first) && first.expiresAt > now;

  return {
    async put({ accountId, expiresAt, ...content }) {
      const text = JSON.stringify(content);
      const bytes = Buffer.byteLength(text);
      if (bytes > maxBytes) throw new Error(`a response of ${bytes} bytes is too large to store`);
      const data = await compress(text);
      const parts = Math.max(1, Math.ceil(data.length / partBytes));
      if (parts > maxParts) throw new Error(`a response of ${data.length} compressed bytes is too large to store`);
      const rows = Array.from({ length: parts }, (_, index) => ({
        ...partKey(accountId, content.response.id, index),
        data: data.subarray(index * partBytes, (index + 1) * partBytes),
        ttl: seconds(expiresAt),
        ...(index === 0 && { parts, expiresAt }),
      }));
      const write = (Item: object) => client.send(new PutCommand({ TableName: table, Item: { ...Item } }));
      await Promise.all(rows.slice(1).map(write));
      await write(rows[0] ?? {});
    },
    async find(accountId, id, now) {
      const first = await readItem(client, table, partKey(accountId, id, 0));
      return isCurrent(first, now) ? whole(accountId, first) : undefined;
    },
    async findAll(accountId, ids, now) {
      const read = await readItems(
        client,
        table,
        ids.map((id) => partKey(accountId, id, 0)),
      );
      const current = read.filter((first) => isCurrent(first, now));
      return Promise.all(current.map((first) => whole(accountId, first)));
    },
    async remove(accountId, id, now) {
      const first = await readItem(client, table, partKey(accountId, id, 0));
      if (!isCurrent(first, now)) return false;
      await deleteKeys(
        client,
        table,
        Array.from({ length: first.parts }, (_, index) => partKey(accountId, id, index)),
      );
      return true;
    },
  };
}

const partKey = (accountId: number, id: string, part: number): Key => ({
  pk: accountPartition(accountId),
  sk: `${id}#${part}`,
});

const idIn = (sk: string): string => sk.slice(0, sk.indexOf('#'));

export const purgeResponses = (
  client: DynamoDBDocumentClient,
  table: string,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> => deletePartition(client, table, accountPartition(accountId), signal);
