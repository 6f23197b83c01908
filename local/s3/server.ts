import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Faults } from '../shared/faults.ts';
import { BodyTooLarge, listen, listener, type Loopback, readBody } from '../shared/loopback.ts';
import { concatenated, DiskFull, type Draft, type FileStore, type StoredObject, TooLarge } from './file-store.ts';
import { postObject } from './post-object.ts';
import { escaped, S3Error, sendError, sendXml, unescaped } from './responses.ts';

export interface S3Options {
  readonly store: FileStore;
  readonly bucket: string;
  /** More buckets by name. They do not accept forms. */
  readonly others?: Readonly<Record<string, FileStore>>;
  readonly secret: () => string;
  readonly faults?: Faults;
  readonly now: () => number;
  readonly pageOrigins?: readonly string[];
}

/** S3's maximum size of a single PUT. */
const maxPutBytes = 5 * 1024 ** 3;
const maxXmlBytes = 1024 * 1024;

/** Serves S3 buckets with path-style URLs: objects, ranges, multipart uploads, and POST forms. */
export function startS3({
  store,
  bucket,
  others,
  secret,
  now,
  pageOrigins = [],
  faults,
}: S3Options): Promise<Loopback> {
  const stores = new Map(Object.entries({ ...others, [bucket]: store }));
  const operations = new Map([...stores].map(([name, one]) => [name, objectOperations(name, one)]));
  const cors = corsRule(bucket, pageOrigins);

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://s3');
    const [, name, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    if (cors.allows(req)) cors.setHeaders(req, res);
    if (req.method === 'OPTIONS') return cors.sendPreflight(req, res);
    const operation = operations.get(name ?? '');
    if (!operation) throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
    if (req.method === 'POST' && key === '' && name === bucket) {
      const etag = await postObject(req, { store, bucket, secret: secret(), now });
      res.writeHead(204, { etag }).end();
      return;
    }
    if (faults?.take('s3')) throw new S3Error(503, 'ServiceUnavailable', 'Please reduce your request rate.');
    if (!req.headers.authorization?.startsWith('AWS4-HMAC-SHA256 '))
      throw new S3Error(403, 'AccessDenied', 'Access Denied');
    await operation(req, res, key, url.searchParams);
  }

  return listen(
    listener((req, res) =>
      handle(req, res).catch((error: unknown) => {
        const known = knownError(error);
        if (!known || res.headersSent) throw error;
        if (req.method !== 'HEAD') return sendError(res, known);
        res.writeHead(known.status).end();
      }),
    ),
    0,
    cors.allows,
  );
}

function objectOperations(bucket: string, store: FileStore) {
  const uploads = multipartUploads(store);

  async function operation(
    req: IncomingMessage,
    res: ServerResponse,
    key: string,
    query: URLSearchParams,
  ): Promise<void> {
    const uploadId = query.get('uploadId');
    const { method = '' } = req;
    switch (method) {
      case 'HEAD':
      case 'GET':
        return key === '' ? list(res, query) : sendObject(req, res, await existing(key));
      case 'DELETE':
        await (uploadId === null ? store.remove(key) : uploads.drop(uploadId));
        res.writeHead(204).end();
        return;
      case 'PUT':
        return uploadId === null ? put(req, res, key) : putPart(req, res, uploadId, Number(query.get('partNumber')));
      case 'POST':
        if (query.has('uploads')) {
          const id = uploads.begin(req.headers['content-type'] ?? 'binary/octet-stream');
          const ids = `<Bucket>${bucket}</Bucket><Key>${escaped(key)}</Key><UploadId>${id}</UploadId>`;
          return sendXml(res, 200, `<InitiateMultipartUploadResult>${ids}</InitiateMultipartUploadResult>`);
        }
        if (query.has('delete')) return removeAll(res, (await readBody(req, maxXmlBytes)).toString());
        await readBody(req, maxXmlBytes);
        return completed(res, await uploads.complete(uploadId ?? '', key));
      default:
        throw new S3Error(405, 'MethodNotAllowed', 'The specified method is not allowed against this resource.');
    }
  }

  async function existing(key: string): Promise<StoredObject> {
    const object = await store.find(key);
    if (object) return object;
    throw new S3Error(404, 'NoSuchKey', 'The specified key does not exist.');
  }

  async function put(req: IncomingMessage, res: ServerResponse, key: string): Promise<void> {
    const { etag } = await store.keep(
      key,
      req.headers['content-type'] ?? 'binary/octet-stream',
      await store.draft(req, maxPutBytes),
      daysOf(req.headers['x-amz-tagging']),
    );
    res.writeHead(200, { etag }).end();
  }

  async function putPart(req: IncomingMessage, res: ServerResponse, id: string, number: number): Promise<void> {
    const source = req.headers['x-amz-copy-source'];
    if (source === undefined) {
      res.writeHead(200, { etag: await uploads.put(id, number, req, maxPutBytes) }).end();
      return;
    }
    const from = await existing(
      decodeURIComponent(String(source))
        .replace(/^\//, '')
        .slice(bucket.length + 1),
    );
    requireMatch(req.headers['x-amz-copy-source-if-match'], from);
    const { first, last } = rangeOf(req.headers['x-amz-copy-source-range'], from.bytes);
    const etag = await uploads.put(id, number, store.bytesOf(from, first, last + 1), maxPutBytes);
    sendXml(res, 200, `<CopyPartResult><ETag>${escaped(etag)}</ETag></CopyPartResult>`);
  }

  async function list(res: ServerResponse, query: URLSearchParams): Promise<void> {
    const keys = await store.keysWith(query.get('prefix') ?? '', query.get('start-after') ?? '');
    const shown = keys.slice(0, Number(query.get('max-keys') ?? 1000));
    const contents = shown.map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`).join('');
    const state = `<IsTruncated>${keys.length > shown.length}</IsTruncated><KeyCount>${shown.length}</KeyCount>`;
    sendXml(res, 200, `<ListBucketResult>${state}${contents}</ListBucketResult>`);
  }

  async function removeAll(res: ServerResponse, xml: string): Promise<void> {
    const keys = [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => unescaped(key));
    await Promise.all(keys.map(store.remove));
    sendXml(res, 200, '<DeleteResult></DeleteResult>');
  }

  function completed(res: ServerResponse, { key, etag }: StoredObject): void {
    const ids = `<Bucket>${bucket}</Bucket><Key>${escaped(key)}</Key><ETag>${escaped(etag)}</ETag>`;
    sendXml(res, 200, `<CompleteMultipartUploadResult>${ids}</CompleteMultipartUploadResult>`);
  }

  async function sendObject(req: IncomingMessage, res: ServerResponse, object: StoredObject): Promise<void> {
    requireMatch(req.headers['if-match'], object);
    const { contentType, bytes, etag } = object;
    const isPart = req.headers.range !== undefined;
    const { first, last } = rangeOf(req.headers.range, bytes);
    res.writeHead(isPart ? 206 : 200, {
      'content-type': contentType,
      'content-length': last + 1 - first,
      etag,
      ...(isPart && { 'content-range': `bytes ${first}-${last}/${bytes}` }),
    });
    if (req.method === 'HEAD') res.end();
    else await pipeline(store.bytesOf(object, first, last + 1), res);
  }

  return operation;
}

function knownError(error: unknown): S3Error | undefined {
  if (error instanceof S3Error) return error;
  if (error instanceof DiskFull || error instanceof TooLarge)
    return new S3Error(503, 'SlowDown', 'The disk is too full for this object.');
  return error instanceof BodyTooLarge ? new S3Error(400, 'MaxMessageLengthExceeded', error.message) : undefined;
}

/** The tag that selects the bucket's lifecycle rule. */
function daysOf(tagging: string | string[] | undefined): number | undefined {
  const days = new URLSearchParams(String(tagging ?? '')).get('days');
  return days === null ? undefined : Number(days);
}

function requireMatch(wanted: string | string[] | undefined, { etag }: StoredObject): void {
  if (wanted !== undefined && wanted !== etag)
    throw new S3Error(412, 'PreconditionFailed', 'At least one of the pre-conditions you specified did not hold');
}

/** Parses a `bytes=` range with both ends. Any other value selects the whole object. */
function rangeOf(range: string | string[] | undefined, bytes: number): { first: number; last: number } {
  if (range === undefined) return { first: 0, last: bytes - 1 };
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(range)) ?? [];
  const [first, last] = [Number(from), Math.min(Number(to), bytes - 1)];
  if (from !== undefined && first <= last) return { first, last };
  throw new S3Error(416, 'InvalidRange', 'The requested range is not satisfiable');
}

/** Minimum size of all parts except the last. */
const minPartBytes = 5 * 1024 * 1024;

/** Uploads that are never completed end with the process. */
function multipartUploads(store: FileStore) {
  const uploads = new Map<string, { contentType: string; parts: Map<number, Draft> }>();

  function upload(id: string) {
    const found = uploads.get(id);
    if (found) return found;
    throw new S3Error(404, 'NoSuchUpload', 'The specified multipart upload does not exist.');
  }

  return {
    begin(contentType: string): string {
      const id = randomUUID();
      uploads.set(id, { contentType, parts: new Map() });
      return id;
    },
    async put(id: string, number: number, pieces: AsyncIterable<Uint8Array>, max: number): Promise<string> {
      const { parts } = upload(id);
      const draft = await store.draft(pieces, max);
      parts.set(number, draft);
      return `"${draft.md5}"`;
    },
    async complete(id: string, key: string): Promise<StoredObject> {
      const { contentType, parts } = upload(id);
      const ordered = [...parts].toSorted(([one], [other]) => one - other).map(([, draft]) => draft);
      if (ordered.slice(0, -1).some(({ bytes }) => bytes < minPartBytes))
        throw new S3Error(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
      const whole = await store.draft(concatenated(store, ordered), Number.POSITIVE_INFINITY);
      await drop(id);
      return store.keep(key, contentType, whole);
    },
    drop,
  };

  async function drop(id: string): Promise<void> {
    const { parts } = upload(id);
    uploads.delete(id);
    await Promise.all(parts.values().map(({ path }) => store.discard(path)));
  }
}

/** CORS rule of the bucket: the origins may only send forms (S3 "Using cross-origin resource sharing"). */
function corsRule(bucket: string, origins: readonly string[]) {
  /** Whether a request sends the form, or is its preflight request. */
  function allows({ method = '', url = '', headers: { origin = '' } }: IncomingMessage): boolean {
    const isForm = ['POST', 'OPTIONS'].includes(method) && [`/${bucket}`, `/${bucket}/`].includes(url);
    return isForm && origins.includes(origin);
  }

  /** Also set on errors, so that the page can read them. */
  function setHeaders({ headers: { origin = '' } }: IncomingMessage, res: ServerResponse): void {
    res.setHeader('access-control-allow-origin', origin);
    res.setHeader('access-control-allow-methods', 'POST');
    res.setHeader('vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method');
  }

  function sendPreflight(req: IncomingMessage, res: ServerResponse): void {
    const { 'access-control-request-method': method, 'access-control-request-headers': names = '' } = req.headers;
    if (!allows(req) || method !== 'POST' || names !== '')
      throw new S3Error(403, 'AccessForbidden', 'CORSResponse: This CORS request is not allowed.');
    res.setHeader('access-control-max-age', '3600');
    res.writeHead(200).end();
  }

  return { allows, setHeaders, sendPreflight };
}
