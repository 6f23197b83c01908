import { crc32 } from 'node:zlib';
import { EventStreamCodec } from '@smithy/core/event-streams';

/** A message of an event stream as it came, and its body. Between `headersAt` and `bodyAt` are its headers as they are encoded. */
export interface Frame {
  readonly bytes: Buffer;
  readonly bodyAt: number;
  readonly body: Buffer;
}

/** Of a message's length and its headers', each as wide as a checksum. */
const lengthsBytes = 8;
const checksumBytes = 4;
const headersAt = lengthsBytes + checksumBytes;

/** Bytes. A message has a part of a model's output, or an error. */
const maxMessageBytes = 1024 * 1024;
const maxPieces = 1024;

const nothing = Buffer.alloc(0);

/**
 * Cuts a stream of bytes, in whatever pieces they come, into its messages (AWS "Event stream encoding"). Throws on one whose
 * checksums or lengths are wrong (SyntaxError), and on an end within one.
 */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** How many there must be to go on with. */
  #needed = headersAt;

  /** The messages that are whole with these bytes. */
  *push(piece: Buffer): Generator<Frame> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes < this.#needed) {
      // Thousands of pieces of a byte each take hundreds of times their bytes.
      if (this.#pieces.length > maxPieces) this.#pieces = [Buffer.concat(this.#pieces)];
      return;
    }
    let rest: Buffer = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    let length = lengthOf(rest);
    for (; length <= rest.length; length = lengthOf(rest)) {
      const isOnly = length === rest.length;
      const bytes = isOnly ? rest : rest.subarray(0, length);
      rest = isOnly ? nothing : rest.subarray(length);
      yield frameOf(bytes);
    }
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    this.#needed = Number.isFinite(length) ? length : headersAt;
  }

  end(): void {
    if (this.#bytes > 0) throw new Error('the stream ends within a message');
  }
}

/** Of the message that these bytes begin with; infinite while too little of it is there to know. */
function lengthOf(bytes: Buffer): number {
  if (bytes.length < headersAt) return Number.POSITIVE_INFINITY;
  const length = bytes.readUInt32BE(0);
  const isWhole = crc32(bytes.subarray(0, lengthsBytes)) === bytes.readUInt32BE(lengthsBytes);
  if (!isWhole || length > maxMessageBytes || bodyAtOf(bytes) > length - checksumBytes)
    throw new SyntaxError('a message has a wrong length');
  return length;
}

function frameOf(bytes: Buffer): Frame {
  const end = bytes.length - checksumBytes;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) throw new SyntaxError('a message is damaged');
  const bodyAt = bodyAtOf(bytes);
  return { bytes, bodyAt, body: bytes.subarray(bodyAt, end) };
}

const bodyAtOf = (bytes: Buffer): number => headersAt + bytes.readUInt32BE(checksumBytes);

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

/** The headers of a message with some of the model's bytes: nearly all are alike, and need not be decoded again. */
let partHeaders: Buffer | undefined;

/** Whether a message is some of the model's bytes, reports that the stream has failed, or neither. */
export function kindOf(bytes: Buffer, bodyAt: number): 'part' | 'failure' | 'other' {
  if (partHeaders?.compare(bytes, headersAt, bodyAt) === 0) return 'part';
  const { headers } = codec.decode(bytes);
  if (headers[':message-type']?.value !== 'event') return 'failure';
  if (headers[':event-type']?.value !== 'PayloadPart') return 'other';
  partHeaders = Buffer.from(bytes.subarray(headersAt, bodyAt));
  return 'part';
}
