/** A response's body has more bytes than it may. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor(maxBytes: number) {
    super(`the body of the response has more than ${maxBytes} bytes`);
  }
}

/** What each piece counts beside its bytes: a body in pieces of one byte takes hundreds of times as much memory as it has bytes. */
const pieceBytes = 256;

/**
 * The whole of a body; rejects with BodyTooLarge when it has more than so many bytes. It is put together as it comes, in memory for
 * as many bytes as are expected: what grows and is copied is more work for the garbage collector than the rest.
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

/** The same pieces; fails with BodyTooLarge where they become too many bytes. */
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
