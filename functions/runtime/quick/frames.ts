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
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The messages that are whole with these bytes. */
  *push(piece: Buffer): Generator<Frame> {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (let frame = firstIn(this.#rest); frame; frame = firstIn(this.#rest)) {
      this.#rest = this.#rest.subarray(frame.bytes.length);
      yield frame;
    }
  }

  end(): void {
    if (this.#rest.length > 0) throw new Error('the stream ends within a message');
  }
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
