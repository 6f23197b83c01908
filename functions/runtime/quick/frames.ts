import { crc32 } from 'node:zlib';

/** A message of an event stream: as it came, and its parts as they are encoded. */
export interface Frame {
  readonly bytes: Buffer;
  readonly headers: Buffer;
  readonly body: Buffer;
}

/** Of the whole length and the headers' length, each as wide as a checksum. */
const lengthsBytes = 8;
const checksumBytes = 4;
const preludeBytes = lengthsBytes + checksumBytes;

/**
 * Cuts a stream of bytes, in whatever pieces they come, into its messages (AWS "Event stream encoding"). Throws on one whose
 * checksums or lengths are wrong, and on an end within one.
 */
export async function* framesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (let frame = firstIn(rest); frame; frame = firstIn(rest)) {
      yield frame;
      rest = rest.subarray(frame.bytes.length);
    }
  }
  if (rest.length > 0) throw new Error('the stream ends within a message');
}

/** Undefined while it is not there whole. */
function firstIn(bytes: Buffer): Frame | undefined {
  if (bytes.length < preludeBytes) return undefined;
  const end = bytes.readUInt32BE(0) - checksumBytes;
  const headersEnd = preludeBytes + bytes.readUInt32BE(checksumBytes);
  const checksum = crc32(bytes.subarray(0, lengthsBytes));
  if (checksum !== bytes.readUInt32BE(lengthsBytes) || headersEnd > end)
    throw new Error('a message has a wrong length');
  if (bytes.length < end + checksumBytes) return undefined;
  if (crc32(bytes.subarray(lengthsBytes, end), checksum) !== bytes.readUInt32BE(end))
    throw new Error('a message is damaged');
  return {
    bytes: bytes.subarray(0, end + checksumBytes),
    headers: bytes.subarray(preludeBytes, headersEnd),
    body: bytes.subarray(headersEnd, end),
  };
}
