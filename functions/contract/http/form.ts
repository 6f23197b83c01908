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
