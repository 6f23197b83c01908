import { basename } from 'node:path/posix';
import { Busboy } from '@fastify/busboy';
import { type FormFile, formLimits } from '#contract/http/form.ts';
import { ServiceError } from '#domain/shared/service-error.ts';

type Value = string | FormFile | string[];

/**
 * The fields of a form by their names (RFC 7578). A name that ends with `[]` has a list, any other comes once. Refuses (400) what is
 * no form, breaks off, or has more parts than an operation takes.
 */
export function formBody(bytes: Buffer, contentType: string): Promise<Record<string, unknown>> {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  const fields = new Map<string, Value>();
  let fault: string | undefined;

  function add(name: string, value: string | FormFile): void {
    const before = fields.get(name);
    if (name.endsWith('[]') && typeof value === 'string') {
      if (Array.isArray(before)) before.push(value);
      else fields.set(name, [value]);
    } else if (before === undefined) fields.set(name, value);
    else fault ??= `The form has the part ${JSON.stringify(name.slice(0, 64))} twice.`;
  }

  try {
    const form = parserOf(contentType);
    form.on('field', (name, value, isNameCut, isCut) => {
      if (isNameCut || isCut) fault ??= `A field of the form may have at most ${formLimits.fieldBytes} bytes.`;
      else if (value.includes('\ufffd')) fault ??= 'The fields of the form must be UTF-8.';
      else add(name, value);
    });
    form.on('file', (name, file, fileName, _encoding, type) => {
      const pieces: Buffer[] = [];
      file.on('data', (piece: Buffer) => pieces.push(piece));
      file.on('error', () => undefined);
      file.on('end', () => {
        if (file.destroyed && !file.readableEnded) return;
        add(name, { name: plainName(fileName), contentType: type.toLowerCase(), bytes: joined(pieces) });
      });
    });
    form.on('filesLimit', () => (fault ??= 'The form may have one file.'));
    form.on('fieldsLimit', () => (fault ??= `The form may have at most ${formLimits.fields} fields.`));
    form.on('partsLimit', () => (fault ??= 'The form has too many parts.'));
    form.on('error', () =>
      reject(refusal('The body must be a whole form: its parts, and the boundary that ends them.')),
    );
    form.on('finish', () => {
      if (fault === undefined) resolve(Object.fromEntries(fields));
      else reject(refusal(fault));
    });
    form.end(bytes);
  } catch (cause) {
    reject(refusal('The Content-Type must name the boundary of the form.', cause));
  }
  return promise;
}

/** Throws where the header names no boundary. */
const parserOf = (contentType: string) =>
  new Busboy({
    headers: { 'content-type': contentType },
    limits: {
      files: formLimits.files,
      fields: formLimits.fields,
      parts: formLimits.files + formLimits.fields,
      fieldSize: formLimits.fieldBytes,
      fieldNameSize: formLimits.fieldNameBytes,
      headerPairs: formLimits.partHeaders,
    },
  });

/** The parser cuts its pieces out of the body: where one follows another, they are one again without a copy. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0), ...rest] = pieces;
  let end = first.byteOffset + first.length;
  for (const { buffer, byteOffset, length } of rest) {
    if (buffer !== first.buffer || byteOffset !== end) return Buffer.concat(pieces);
    end += length;
  }
  return Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset);
}

/** Without folders, of either kind. */
const plainName = (name: string | undefined): string => basename((name ?? '').replaceAll('\\', '/'));

const refusal = (detail: string, cause?: unknown) => new ServiceError('INVALID_FORMAT', detail, { cause });
