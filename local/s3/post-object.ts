import type { IncomingMessage } from 'node:http';
import { Busboy } from '@fastify/busboy';
import type { Draft, FileStore } from './file-store.ts';
import { TooLarge } from './file-store.ts';
import { allowedLength } from './post-policy.ts';
import { S3Error } from './s3-error.ts';

export interface PostOptions {
  readonly store: FileStore;
  readonly bucket: string;
  readonly secret: string;
  readonly now: () => number;
}

/** Takes a form: its fields, and then the file, which is written as it comes and kept once its policy is (S3 "POST Object"). Gives its ETag. */
export async function postObject(req: IncomingMessage, { store, bucket, secret, now }: PostOptions): Promise<string> {
  const fields = new Map<string, string>();
  let file: Promise<{ draft: Draft; min: number }> | undefined;
  const form = formOf(req);
  const finished = new Promise<void>((resolve, reject) => {
    form.on('finish', resolve);
    // What is refused is read to its end, so that its sender sees why.
    const refuse = (error: unknown): void => {
      req.unpipe(form);
      req.resume();
      reject(error);
    };
    form.on('field', (name: string | undefined, value) => {
      if (file) return;
      // Its types have no part without a name.
      if (name === undefined) refuse(malformed());
      else fields.set(name.toLowerCase(), value);
    });
    form.on('file', (_name, stream) => {
      file = take(stream);
      file.catch(refuse);
      req.once('close', () => {
        if (!req.complete) stream.destroy(new Error('the client went away'));
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
