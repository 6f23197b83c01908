import { EventStreamCodec } from '@smithy/core/event-streams';

export interface Frame {
  /** `part`: bytes of the model's output. `failure`: an error that ends the stream. */
  readonly kind: 'part' | 'failure' | 'other';
  /** Bytes of the whole message. */
  readonly bytes: Buffer;
  readonly body: Buffer;
}

const lengthBytes = 4;
/** Limit for a message, which contains a part of a model's output, or an error. */
const maxMessageBytes = 1024 * 1024;
/** Pieces of one byte each would use hundreds of times as much memory as their content. */
const maxPieces = 1024;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);

/** Splits a stream of bytes into messages (AWS "Event stream encoding"). Throws SyntaxError on a damaged message. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Minimum total of buffered bytes for a further message. */
  #needed = lengthBytes;

  /** Returns the messages that these bytes complete. */
  *push(piece: Buffer): Generator<Frame> {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (this.#bytes < this.#needed && this.#pieces.length < maxPieces) return;
    let rest = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces);
    let length = lengthOf(rest);
    for (; length <= rest.length; length = lengthOf(rest)) {
      yield frameOf(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    this.#pieces = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    this.#needed = length;
  }

  end(): void {
    if (this.#bytes > 0) throw new Error('the stream ends within a message');
  }
}

function lengthOf(bytes: Buffer): number {
  if (bytes.length < lengthBytes) return lengthBytes;
  const length = bytes.readUInt32BE(0);
  if (length > maxMessageBytes) throw new SyntaxError('a message is too long');
  return length;
}

function frameOf(bytes: Buffer): Frame {
  const { headers, body } = decoded(bytes);
  const isEvent = headers[':message-type']?.value === 'event';
  const isPart = headers[':event-type']?.value === 'PayloadPart';
  const kind = isEvent ? (isPart ? 'part' : 'other') : 'failure';
  return { kind, bytes, body: Buffer.from(body.buffer, body.byteOffset, body.length) };
}

function decoded(bytes: Buffer) {
  try {
    return codec.decode(bytes);
  } catch (cause) {
    throw new SyntaxError('a message is damaged', { cause });
  }
}
