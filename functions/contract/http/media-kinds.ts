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
