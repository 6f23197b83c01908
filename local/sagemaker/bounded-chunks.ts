const mebibyte = 1024 * 1024;

/** Bytes that a model server's whole reply may have here, of text and of vectors: more than the service takes of any. */
export const maxReplyBytes = { text: 4 * mebibyte, vectors: 16 * mebibyte } as const;

/** The same chunks; fails where they become more than `maxBytes`. */
export async function* boundedChunks(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`The reply has more than ${maxBytes} bytes.`);
    yield chunk;
  }
}
