/** Reads a part of a file: `to` is behind its last byte. */
export type ReadRange = (from: number, to: number) => Promise<Uint8Array>;

/** A file of which a few blocks are read at most. */
export interface RangedFile {
  readonly size: number;
  /** Ends where the file does. Rejects with TooFar where more of the file would be read than may be. */
  bytes(from: number, to: number): Promise<Buffer<ArrayBuffer>>;
  /** The same from a place on. */
  from(start: number): RangedFile;
}

/** More of a file would have to be read than may be. */
export class TooFar extends Error {}

/** What is read at a time, and how often: a file's beginning and its end, and what lies between where that has its parts. */
export const blockBytes = 256 * 1024;
const maxBlocks = 16;

/** Reads of blocks that are there, at most: what a parser does takes reads. */
const maxReads = 60_000;

export function rangedFile(size: number, read: ReadRange): RangedFile {
  const blocks = new Map<number, Uint8Array>();
  let reads = 0;

  async function block(index: number): Promise<Uint8Array> {
    const known = blocks.get(index);
    if (known) return known;
    if (blocks.size === maxBlocks) throw new TooFar('the file has its length in more places than are read');
    const bytes = await read(index * blockBytes, Math.min(size, (index + 1) * blockBytes));
    blocks.set(index, bytes);
    return bytes;
  }

  async function part(from: number, to: number): Promise<Buffer<ArrayBuffer>> {
    reads += 1;
    const isMore = reads > maxReads || to - from > maxBlocks * blockBytes;
    if (isMore) throw new TooFar('the file has more parts, or larger ones, than are read');
    const bytes = Buffer.alloc(Math.max(0, to - from));
    for (let at = from; at < to;) {
      const index = Math.floor(at / blockBytes);
      const piece = (await block(index)).subarray(at - index * blockBytes, to - index * blockBytes);
      if (piece.length === 0) return bytes.subarray(0, at - from);
      bytes.set(piece, at - from);
      at += piece.length;
    }
    return bytes;
  }

  const view = (start: number): RangedFile => ({
    size: size - start,
    bytes: (from, to) => part(start + from, Math.min(start + to, size)),
    from: (more) => view(start + more),
  });
  return view(0);
}

/** Maximum ratio of the frames' seconds to the header's that a variable bit rate explains. */
const plausibleFactor = 2;

/**
 * Seconds of the whole file, extrapolated from its first `headBytes`, whose frames last `headSeconds`. Undefined if
 * they do not contradict the header's seconds.
 */
export function estimated({ size }: RangedFile, headBytes: number, headSeconds: number, seconds: number) {
  const bySize = (headSeconds * size) / headBytes;
  return bySize > plausibleFactor * seconds ? bySize : undefined;
}
