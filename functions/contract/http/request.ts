/** The kinds of bodies that a route takes, and how a Content-Type names each (RFC 8259, RFC 7578). */
export const bodyTypes = { json: 'application/json', multipart: 'multipart/form-data' } as const;
export type BodyKind = keyof typeof bodyTypes;

/** What a success is: JSON, with its streams of events; the bytes of audio, sent while they are generated; or a text (`TextBody`). */
export type ResponseKind = 'json' | 'audio' | 'text';

interface Kinds {
  readonly bodyKinds: readonly BodyKind[];
}

/** Media types of bodies that are no text: the gateway gives them to a function as base64 (AWS "Binary media types for REST APIs"). */
export function binaryTypesOf(routes: readonly Kinds[]): readonly string[] {
  return routes.some(({ bodyKinds }) => bodyKinds.includes('multipart')) ? [bodyTypes.multipart] : [];
}

/** The kind that a Content-Type names; undefined for any other. */
export function bodyKindOf(contentType: string): BodyKind | undefined {
  const [type = ''] = contentType.split(';', 1);
  const given = type.trim().toLowerCase();
  if (given === bodyTypes.json) return 'json';
  return given === bodyTypes.multipart ? 'multipart' : undefined;
}

/** A file of a form. `name` is what the sender called it, without folders; nothing may be stored or looked up by it. */
export interface FormFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Limits on a form with files, of which each operation takes one. */
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

/** Printable ASCII but quotes and commas: proxies join a header that came twice with a comma. */
const bare = String.raw`[ !#-+\--~]{1,${maxLength}}`;

/** A string of RFC 9651 without its quotes: printable ASCII, in which `"` and `\` are escaped. */
const quoted = String.raw`(?:[ !#-\[\]-~]|\\["\\]){1,${maxLength}}`;

/**
 * What an Idempotency-Key header may be: 1 to 255 characters, with quotes as the IETF draft has them
 * (draft-ietf-httpapi-idempotency-key-header) or without. Its groups are the two without the quotes.
 */
export const idempotencyKey = { maxLength, pattern: `^(?:(${bare})|"(${quoted})")$` } as const;
