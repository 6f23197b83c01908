/** The body of a response exceeds its limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(maxBytes: number) {
    super(`the body of the response has more than ${maxBytes} bytes`);
  }
}

/** Bytes added for each chunk: a body in chunks of one byte uses hundreds of times as much memory as its length. */
const pieceBytes = 256;

/**
 * Reads a whole body. Rejects with BodyTooLarge above `maxBytes`. Allocates the expected size once, because growing and
 * copying a buffer costs more garbage collection than everything else here.
 */
export async function collectBody(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  expectedBytes = 0,
): Promise<Buffer> {
  let all: Buffer = Buffer.alloc(0);
  let length = 0;
  let count = 0;
  for await (const piece of pieces) {
    const before = length;
    length += piece.length;
    count += 1;
    if (length + (count - 1) * pieceBytes > maxBytes) throw new BodyTooLarge(maxBytes);
    if (before === 0 && expectedBytes <= length) {
      all = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
      continue;
    }
    if (before === 0) all = Buffer.allocUnsafe(Math.min(expectedBytes, maxBytes));
    if (length > all.length) all = enlarged(all, length);
    all.set(piece, before);
  }
  return all.subarray(0, length);
}

function enlarged(bytes: Buffer, length: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafe(2 * length);
  larger.set(bytes);
  return larger;
}

/** Passes the chunks on. Throws BodyTooLarge when they exceed the limit. */
export async function* boundedBody(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const piece of pieces) {
    length += piece.length;
    if (length > maxBytes) throw new BodyTooLarge(maxBytes);
    yield piece;
  }
}
