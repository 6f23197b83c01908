/** Bytes that a model server's whole reply may have here: more than the service takes of any. */
const maxReplyBytes = 32 * 1024 * 1024;

/** The same chunks; fails where they become more than a reply may have. */
export async function* boundedChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxReplyBytes) throw new Error(`The reply has more than ${maxReplyBytes} bytes.`);
    yield chunk;
  }
}
