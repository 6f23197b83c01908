/** Maximum bytes of a message, which contains a piece of output or an error. */
const maxMessageBytes = 1024 * 1024;
/** Bytes of a message without headers and payload (AWS "Event stream encoding"). */
const minMessageBytes = 16;

/** Forwards a stream of messages. Throws SyntaxError for an invalid length, because the SDK would allocate that much memory. */
export async function* boundedFrames(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let prefix: number[] = [];
  /** Bytes until the next message. */
  let left = 0;
  for await (const piece of pieces) {
    let at = 0;
    /** End of the messages and beginnings of messages that are valid. */
    let valid = 0;
    while (at < piece.length) {
      const skipped = Math.min(left, piece.length - at);
      at += skipped;
      left -= skipped;
      if (left > 0) break;
      valid = at;
      for (; at < piece.length && prefix.length < 4; at += 1) prefix.push(piece[at] ?? 0);
      if (prefix.length < 4) break;
      const length = Buffer.from(prefix).readUInt32BE(0);
      if (length < minMessageBytes || length > maxMessageBytes) {
        yield piece.subarray(0, valid);
        throw new SyntaxError('a message has an impossible length');
      }
      left = length - 4;
      prefix = [];
    }
    yield piece;
  }
}
