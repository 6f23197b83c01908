import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { s3Client } from '#aws/s3-client.ts';
import { StoredContent } from '#contract/requests/stored-content.ts';
import type { Content, ContentKey, ContentPlace, ContentStore } from '#domain/requests/stored-content.ts';
import type { Clock } from '#domain/shared/ports.ts';

const File = v.pipe(v.string(), v.parseJson(), StoredContent);

/** Maximum objects per request to delete them (S3 "DeleteObjects"), and per page. */
const pageObjects = 1000;

const prefixOf = ({ accountId, keyId }: Pick<ContentKey, 'accountId'> & Partial<ContentKey>): string =>
  `${accountId}/${keyId === undefined ? '' : `${keyId}/`}`;
const keyOf = (place: ContentPlace): string => `${prefixOf(place)}${place.requestId}`;

export interface ListedContents {
  readonly rows: readonly { readonly at: string; readonly keyId: string; readonly content: Content | undefined }[];
  readonly isLast: boolean;
}

export interface ContentFiles extends ContentStore {
  /** Contents of an account after a position, of all keys. */
  list(accountId: number, after: string | undefined, limit: number): Promise<ListedContents>;
}

/**
 * One object per request. The bucket encrypts it, and deletes it by the lifecycle rule of its tag, up to a day after
 * its expiry.
 */
export function contentFiles(Bucket: string, clock: Clock): ContentFiles {
  const client = s3Client();
  async function read(Key: string): Promise<Content | undefined> {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      const content = v.parse(File, await Body?.transformToString());
      return Date.parse(content.expiresAt) > clock.now() ? content : undefined;
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined;
      throw error;
    }
  }

  async function exists(Key: string): Promise<boolean> {
    try {
      await client.send(new HeadObjectCommand({ Bucket, Key }));
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  const keysAfter = async (prefix: string, after: string | undefined, limit: number) => {
    const page = { Bucket, Prefix: prefix, MaxKeys: limit, ...(after !== undefined && { StartAfter: prefix + after }) };
    const { Contents = [], IsTruncated = false } = await client.send(new ListObjectsV2Command(page));
    return { keys: Contents.flatMap(({ Key }) => Key ?? []), isLast: !IsTruncated };
  };

  return {
    async put(place, content, days, abortSignal) {
      const object = { Bucket, Key: keyOf(place), Body: JSON.stringify(content), ContentType: 'application/json' };
      await client.send(new PutObjectCommand({ ...object, Tagging: `days=${days}` }), { abortSignal });
    },
    find: (place) => read(keyOf(place)),
    async remove(place) {
      const Key = keyOf(place);
      const isThere = await exists(Key);
      if (isThere) await client.send(new DeleteObjectCommand({ Bucket, Key }));
      return isThere;
    },
    async removeAll(of, signal) {
      let deleted = 0;
      for (;;) {
        const { keys, isLast } = await keysAfter(prefixOf(of), undefined, pageObjects);
        if (keys.length > 0) {
          const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
          const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete }));
          if (Errors.length > 0) throw new Error(`${Errors.length} stored contents could not be deleted`);
        }
        deleted += keys.length;
        if (isLast || signal?.aborted) return { deleted, isDone: isLast };
      }
    },
    async list(accountId, after, limit) {
      const prefix = prefixOf({ accountId });
      const { keys, isLast } = await keysAfter(prefix, after, limit);
      const rows = keys.map(async (key) => {
        const at = key.slice(prefix.length);
        return { at, keyId: at.split('/')[0] ?? '', content: await read(key) };
      });
      return { rows: await Promise.all(rows), isLast };
    },
  };
}
