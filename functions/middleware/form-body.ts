import { basename } from 'node:path/posix';
import { Busboy } from '@fastify/busboy';
import { type FormFile, formLimits } from '#contract/http/request.ts';
import { ServiceError } from '#domain/shared/service-error.ts';

type Value = string | FormFile | string[];

/** Parses multipart/form-data (RFC 7578). A name that ends with `[]` yields a list; any other name must be unique. */
export function formBody(bytes: Buffer, contentType: string): Promise<Record<string, unknown>> {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
  const fields = new Map<string, Value>();
  let fault: string | undefined;

  function add(name: string | undefined, value: string | FormFile): void {
    if (name === undefined) {
      fault ??= 'Each part of the form must have a name.';
      return;
    }
    const before = fields.get(name);
    if (name.endsWith('[]') && typeof value === 'string') {
      if (Array.isArray(before)) before.push(value);
      else fields.set(name, [value]);
    } else if (before === undefined) fields.set(name, value);
    else fault ??= `The form has the part ${JSON.stringify(name.slice(0, 64))} twice.`;
  }

  try {
    const boundary = boundaryOf(contentType);
    if (hasTooManyParts(bytes, boundary)) return Promise.reject(refusal('The form has too many parts.'));
    const form = parserOf(boundary);
    form.on('field', (name: string | undefined, value, isNameCut, isCut) => {
      if (isNameCut || isCut) fault ??= `A field of the form may have at most ${formLimits.fieldBytes} bytes.`;
      else if (value.includes('\ufffd')) fault ??= 'The fields of the form must be UTF-8.';
      else add(name, value);
    });
    form.on('file', (name: string | undefined, file, fileName, _encoding, type) => {
      const pieces: Buffer[] = [];
      file.on('data', (piece: Buffer) => pieces.push(piece));
      file.on('error', () => undefined);
      file.on('end', () => {
        if (file.destroyed && !file.readableEnded) return;
        add(name, { name: plainName(fileName), contentType: type.toLowerCase(), bytes: joined(pieces) });
      });
    });
    form.on('filesLimit', () => (fault ??= 'The form can contain only one file.'));
    form.on('fieldsLimit', () => (fault ??= `The form may have at most ${formLimits.fields} fields.`));
    form.on('partsLimit', () => (fault ??= 'The form has too many parts.'));
    form.on('error', () => reject(refusal('The body must be a complete form that ends with its boundary.')));
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

/** Returns the boundary, at most 70 characters (RFC 2046, 5.1.1). Throws if it is missing or ambiguous. */
function boundaryOf(contentType: string): string {
  const [boundary, ...others] = [
    ...contentType.matchAll(/;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";]{1,70}))\s*(?=;|$)/gi),
  ];
  const value = boundary?.[1] ?? boundary?.[2];
  if (value === undefined || others.length > 0) throw new Error('no boundary');
  return value;
}

const maxParts = formLimits.files + formLimits.fields;

/** Counted before parsing: the parser has no limit and needs about 250 bytes of memory for each part of five bytes. */
function hasTooManyParts(bytes: Buffer, boundary: string): boolean {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  let count = 0;
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + 1)) {
    count += 1;
    // Allows the first delimiter, which may lack the leading line break, and the closing one.
    if (count > maxParts + 2) return true;
  }
  return false;
}

const parserOf = (boundary: string) =>
  new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: {
      files: formLimits.files,
      fields: formLimits.fields,
      parts: maxParts,
      fieldSize: formLimits.fieldBytes,
      fieldNameSize: formLimits.fieldNameBytes,
      headerPairs: formLimits.partHeaders,
    },
  });

/** Adjacent pieces share the buffer of the body, so they are joined without a copy. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0), ...rest] = pieces;
  let end = first.byteOffset + first.length;
  for (const { buffer, byteOffset, length } of rest) {
    if (buffer !== first.buffer || byteOffset !== end) return Buffer.concat(pieces);
    end += length;
  }
  return Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset);
}

const plainName = (name: string | undefined): string => basename((name ?? '').replaceAll('\\', '/'));

const refusal = (detail: string, cause?: unknown) => new ServiceError('INVALID_FORMAT', detail, { cause });
