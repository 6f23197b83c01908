/** Kinds of request bodies, with the Content-Type of each (RFC 8259, RFC 7578). */
export const bodyTypes = { json: 'application/json', multipart: 'multipart/form-data' } as const;
export type BodyKind = keyof typeof bodyTypes;

/** Kinds of successful responses: JSON including its event streams, streamed audio bytes, or text (`TextBody`). */
export type ResponseKind = 'json' | 'audio' | 'text';

interface Kinds {
  readonly bodyKinds: readonly BodyKind[];
}

/**
 * Media types of binary bodies, which API Gateway passes to functions as base64 (AWS "Binary media types for REST
 * APIs").
 */
export function binaryTypesOf(routes: readonly Kinds[]): readonly string[] {
  return routes.some(({ bodyKinds }) => bodyKinds.includes('multipart')) ? [bodyTypes.multipart] : [];
}

/** Returns the kind of body for a Content-Type, or undefined for other types. */
export function bodyKindOf(contentType: string): BodyKind | undefined {
  const [type = ''] = contentType.split(';', 1);
  const given = type.trim().toLowerCase();
  if (given === bodyTypes.json) return 'json';
  return given === bodyTypes.multipart ? 'multipart' : undefined;
}

/** A file of a form. `name` is the sender's file name without folders. Do not use it to store or look up anything. */
export interface FormFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Limits of a form with files. Each operation accepts one file. */
export const formLimits = {
  files: 1,
  fields: 16,
  fieldBytes: 16 * 1024,
  fieldNameBytes: 100,
  partHeaders: 8,
} as const;

export function isFormFile(value: unknown): value is FormFile {
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array;
}

const maxLength = 255;

/** Printable ASCII except quotes and commas, because proxies join repeated headers with a comma. */
const bare = String.raw`[ !#-+\--~]{1,${maxLength}}`;

/** A string of RFC 9651 without its quotes: printable ASCII with `"` and `\` escaped. */
const quoted = String.raw`(?:[ !#-\[\]-~]|\\["\\]){1,${maxLength}}`;

/**
 * An Idempotency-Key header: 1 to 255 characters, with quotes (draft-ietf-httpapi-idempotency-key-header) or without.
 * The groups are the key of each form without the quotes.
 */
export const idempotencyKey = { maxLength, pattern: `^(?:(${bare})|"(${quoted})")$` } as const;
