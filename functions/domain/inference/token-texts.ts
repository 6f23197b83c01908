import type { TokenEncoding } from '../shared/ports.ts';
import { contextLengthExceeded, ServiceError } from '../shared/service-error.ts';
import type { Proof } from './order.ts';

export interface Decoding {
  readonly model: string;
  /** Maximum tokens of a text. */
  readonly window: number;
  /** Maximum UTF-8 bytes of all texts: as many as the body of a request may have. A token may have 128. */
  readonly maxBytes: number;
  /** Name of the field, for errors. */
  readonly path: string;
  readonly tokenizer: TokenEncoding;
  readonly prove: Proof;
}

/** Decodes texts that a client sent as token ids. Throws 400 if a text exceeds the window or all exceed `maxBytes`. */
export async function decodedTexts(
  texts: readonly (readonly number[])[],
  { model, window, maxBytes, path, tokenizer, prove }: Decoding,
): Promise<readonly string[]> {
  const longest = texts.find((ids) => ids.length > window);
  if (longest) throw contextLengthExceeded(model, window, longest.length, 0);
  await prove();
  const decoded = await tokenizer.decode(texts, maxBytes);
  if (decoded) return decoded;
  throw new ServiceError('INVALID_FORMAT', `${path} must decode to at most ${maxBytes} bytes of text.`, {
    field: { path, isMissing: false },
  });
}
