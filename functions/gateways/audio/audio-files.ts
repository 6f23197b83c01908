import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { BodyTooLarge } from '#aws/bounded-body.ts';
import type { AudioFiles, Frame, StoredFile } from '#domain/audio/job.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { rangedFacts } from './audio-facts.ts';

/** Minimum size in bytes of every part of a multipart upload except the last (S3 "Multipart upload limits"). */
const minPartBytes = 5 * 1024 * 1024;

/** Minimum bytes per copy request. */
const copyBytes = 64 * 1024 * 1024;

/**
 * The credentials of a function do not report their expiry. They last at least as long as its longest invocation (AWS
 * "Lambda quotas").
 */
const minCredentialsMs = 15 * 60_000;

type Credentials = Awaited<ReturnType<S3Client['config']['credentials']>>;

/** Epoch ms. S3 rejects a form whose credentials have expired, so the form expires no later. */
function credentialsEnd({ expiration, sessionToken }: Credentials, now: number): number {
  if (expiration) return expiration.getTime();
  return sessionToken === undefined ? Number.POSITIVE_INFINITY : now + minCredentialsMs;
}

/** Files of long audio in an S3 bucket. */
export function audioFiles(client: S3Client, Bucket: string): AudioFiles {
  async function range(key: string, version: string, from: number, to: number): Promise<Buffer> {
    const command = new GetObjectCommand({ Bucket, Key: key, IfMatch: version, Range: `bytes=${from}-${to - 1}` });
    return bodyOf(await client.send(command), to - from);
  }

  /** Builds the form in memory, because it is small. */
  async function frameSmall(key: string, from: string, file: StoredFile, { head, tail, contentType }: Frame) {
    const bytes = await range(from, file.version, 0, file.bytes);
    const Body = Buffer.concat([head, bytes, tail]);
    await client.send(new PutObjectCommand({ Bucket, Key: key, Body, ContentType: contentType }));
  }

  /** Sends the beginning of the form. S3 itself copies the rest of the file. */
  async function frameLarge(key: string, from: string, file: StoredFile, { head, tail, contentType }: Frame) {
    const to = { Bucket, Key: key };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ ...to, ContentType: contentType }));
    try {
      const Body = Buffer.concat([head, await range(from, file.version, 0, minPartBytes)]);
      const copied = partsOf(minPartBytes, file.bytes);
      const CopySource = `${Bucket}/${from}`;
      const copy = async ([first, end]: readonly [number, number], index: number) => {
        const part = { ...to, UploadId, PartNumber: index + 2, CopySource, CopySourceIfMatch: file.version };
        const CopySourceRange = `bytes=${first}-${end - 1}`;
        return (await client.send(new UploadPartCopyCommand({ ...part, CopySourceRange }))).CopyPartResult?.ETag;
      };
      const put = async (PartNumber: number, bytes: Uint8Array) =>
        (await client.send(new UploadPartCommand({ ...to, UploadId, PartNumber, Body: bytes }))).ETag;
      const tags = await Promise.all([put(1, Body), ...copied.map(copy), put(copied.length + 2, tail)]);
      const Parts = tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }));
      await client.send(new CompleteMultipartUploadCommand({ ...to, UploadId, MultipartUpload: { Parts } }));
    } catch (error) {
      await client.send(new AbortMultipartUploadCommand({ ...to, UploadId })).catch(() => undefined);
      throw error;
    }
  }

  return {
    async allowUpload(Key, { contentType, bytes, expiresAt }) {
      const now = Date.now();
      const end = Math.min(expiresAt, credentialsEnd(await client.config.credentials(), now));
      const post = await createPresignedPost(client, {
        Bucket,
        Key,
        Expires: (end - now) / 1000,
        Fields: { 'Content-Type': contentType },
        Conditions: [['content-length-range', bytes, bytes]],
      });
      return { ...post, expiresAt: end };
    },
    async look(Key) {
      try {
        const {
          ContentLength = 0,
          ContentType = '',
          ETag = '',
        } = await client.send(new HeadObjectCommand({ Bucket, Key }));
        return { bytes: ContentLength, contentType: ContentType, version: ETag };
      } catch (error) {
        if (error instanceof NotFound) return undefined;
        throw error;
      }
    },
    factsOf(key, { bytes, version }) {
      return rangedFacts(bytes, (from, to) => range(key, version, from, to)).catch(refuseReplaced);
    },
    frame(key, from, file, frame) {
      const isSmall = file.bytes < 2 * minPartBytes;
      return (isSmall ? frameSmall : frameLarge)(key, from, file, frame).catch(refuseReplaced);
    },
    async read(Key, maxBytes) {
      try {
        return await bodyOf(await client.send(new GetObjectCommand({ Bucket, Key })), maxBytes);
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
    async write(Key, ContentType, Body) {
      await client.send(new PutObjectCommand({ Bucket, Key, ContentType, Body }));
    },
    async remove(...keys) {
      await Promise.all(keys.map((Key) => client.send(new DeleteObjectCommand({ Bucket, Key }))));
    },
  };
}

/** Ranges of a file from an offset to its end, for concurrent copies. Each has at least the minimum size of a part. */
function partsOf(from: number, size: number): (readonly [first: number, end: number])[] {
  const count = Math.max(1, Math.floor((size - from) / copyBytes));
  const length = Math.ceil((size - from) / count);
  return Array.from({ length: count }, (_, index) => {
    const first = from + index * length;
    return [first, Math.min(size, first + length)] as const;
  });
}

/**
 * The file was replaced through its form after it was inspected, or deleted because another request transcribes the
 * upload.
 */
function refuseReplaced(error: unknown): never {
  if (!(error instanceof Error) || !['PreconditionFailed', 'NoSuchKey'].includes(error.name)) throw error;
  throw new ServiceError('INVALID_STATE', 'The file was replaced while it was being read; try again.', {
    cause: error,
  });
}

/**
 * A truncated body counts as a storage failure, like a missing response. The SDK adds no metadata to this error,
 * because it has already returned the response.
 */
async function bodyOf({ Body, ContentLength = 0 }: GetObjectCommandOutput, maxBytes: number): Promise<Buffer> {
  if (ContentLength > maxBytes) throw new BodyTooLarge(maxBytes);
  if (!isIterable(Body)) throw new Error('S3 returned no body');
  const bytes = Buffer.allocUnsafe(ContentLength);
  let length = 0;
  try {
    for await (const piece of Body) {
      bytes.set(piece, length);
      length += piece.length;
    }
    if (length < ContentLength) throw new Error('S3 ended a body before its length');
  } catch (cause) {
    throw Object.assign(new Error('S3 broke a body off', { cause }), { code: 'ECONNRESET', $metadata: {} });
  }
  return bytes;
}

const isIterable = (body: unknown): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
