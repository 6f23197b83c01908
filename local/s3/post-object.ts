import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import * as v from 'valibot';
import { type Draft, type FileStore, TooLarge } from './file-store.ts';
import { S3Error } from './responses.ts';

export interface PostOptions {
  readonly store: FileStore;
  readonly bucket: string;
  readonly secret: string;
  readonly now: () => number;
}

/**
 * Accepts a form with a file as its last field. Streams the file to disk and stores it if its policy allows it (S3
 * "POST Object"). Returns its ETag.
 */
export async function postObject(req: IncomingMessage, { store, bucket, secret, now }: PostOptions): Promise<string> {
  const fields = new Map<string, string>();
  let file: Promise<{ draft: Draft; min: number }> | undefined;
  const form = formOf(req);
  const finished = new Promise<void>((resolve, reject) => {
    form.on('finish', resolve);
    // Read the rest of a rejected form, so that the client receives the response.
    const refuse = (error: unknown): void => {
      req.unpipe(form);
      req.resume();
      reject(error);
    };
    form.on('field', (name: string | undefined, value) => {
      if (file) return;
      // Busboy's types omit that a part can lack a name.
      if (name === undefined) refuse(malformed());
      else fields.set(name.toLowerCase(), value);
    });
    form.on('file', (_name, stream) => {
      file = take(stream);
      file.catch(refuse);
      req.once('close', () => {
        if (!req.complete) stream.destroy(new Error('the client disconnected'));
      });
    });
    form.on('error', () => reject(malformed()));
  });
  req.pipe(form);
  try {
    await finished;
    if (!file) throw new S3Error(400, 'InvalidArgument', 'POST requires exactly one file upload per request.');
    const { draft, min } = await file;
    if (draft.bytes < min) {
      await store.discard(draft.path);
      throw new S3Error(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
    }
    const { etag } = await store.keep(
      fields.get('key') ?? '',
      fields.get('content-type') ?? 'binary/octet-stream',
      draft,
    );
    return etag;
  } catch (error) {
    const left = await file?.catch(() => undefined);
    if (left) await store.discard(left.draft.path);
    throw error;
  }

  async function take(stream: AsyncIterable<Uint8Array>) {
    const [min, max] = allowedLength(fields, bucket, secret, now());
    try {
      return { draft: await store.draft(stream, max), min };
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      throw new S3Error(400, 'EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
    }
  }
}

function formOf(req: IncomingMessage): InstanceType<typeof Busboy> {
  const headers = { ...req.headers, 'content-type': req.headers['content-type'] ?? '' };
  try {
    return new Busboy({ headers, limits: { files: 1, fields: 32, fieldSize: 20 * 1024 } });
  } catch {
    throw malformed();
  }
}

const malformed = () =>
  new S3Error(400, 'MalformedPOSTRequest', 'The body of your POST request is not well-formed multipart/form-data.');

const Condition = v.union([
  v.tuple([v.picklist(['eq', 'starts-with']), v.string(), v.string()]),
  v.tuple([v.literal('content-length-range'), v.number(), v.number()]),
  v.record(v.string(), v.string()),
]);
const Policy = v.object({ expiration: v.pipe(v.string(), v.isoTimestamp()), conditions: v.array(Condition) });

export type PostFields = ReadonlyMap<string, string>;

/** Fields that need no condition (S3 "Creating a POST policy"). */
const free = new Set(['policy', 'x-amz-signature', 'file']);

/**
 * Checks the signature, the expiry and the conditions of a form's policy. Returns the allowed file length. Field names
 * are lower-case.
 */
function allowedLength(fields: PostFields, bucket: string, secret: string, now: number): [min: number, max: number] {
  const encoded = fields.get('policy') ?? '';
  if (!isSigned(encoded, fields, secret))
    throw new S3Error(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    );
  const { success, output } = v.safeParse(
    v.pipe(v.string(), v.parseJson(), Policy),
    Buffer.from(encoded, 'base64').toString(),
  );
  if (!success) throw new S3Error(400, 'InvalidPolicyDocument', 'Invalid Policy: not a policy.');
  if (Date.parse(output.expiration) <= now) throw denied('Policy expired.');
  let length: [number, number] = [0, 5 * 1024 ** 3];
  const named = new Set<string>();
  const given = (name: string) => (name === 'bucket' ? bucket : fields.get(name));
  for (const condition of output.conditions) {
    if (!Array.isArray(condition)) {
      for (const [name, value] of Object.entries(condition))
        demand(name.toLowerCase(), (field) => field === value, condition);
    } else if (condition[0] === 'content-length-range') length = [condition[1], condition[2]];
    else {
      const [how, field, value] = condition;
      const name = field.replace(/^\$/, '').toLowerCase();
      demand(name, (text) => (how === 'eq' ? text === value : text.startsWith(value)), condition);
    }
  }
  for (const name of fields.keys())
    if (!free.has(name) && !named.has(name)) throw denied(`Extra input fields: ${name}`);
  return length;

  function demand(name: string, isKept: (value: string) => boolean, condition: unknown): void {
    named.add(name);
    const value = given(name);
    if (value === undefined || !isKept(value)) throw denied(`Policy Condition failed: ${JSON.stringify(condition)}`);
  }
}

const denied = (why: string) => new S3Error(403, 'AccessDenied', `Invalid according to Policy: ${why}`);

/** Checks a policy's Signature Version 4 (S3 "Calculating a signature"). */
function isSigned(policy: string, fields: PostFields, secret: string): boolean {
  const [, date = '', region = '', service = '', end = ''] = (fields.get('x-amz-credential') ?? '').split('/');
  const key = [date, region, service, end].reduce<string | Buffer>(
    (secretKey, part) => createHmac('sha256', secretKey).update(part).digest(),
    `AWS4${secret}`,
  );
  const expected = createHmac('sha256', key).update(policy).digest('hex');
  const given = fields.get('x-amz-signature') ?? '';
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}
