import type { AudioFacts } from '#domain/audio/transcription.ts';

/** Container and seconds of a file, from a few of its blocks. */
export interface RangedFacts {
  readonly container: string;
  /** Undefined if only the whole file shows it. */
  readonly seconds: number | undefined;
  /** Maximum seconds, if the content contradicts the header. */
  readonly maxSeconds?: number | undefined;
}

/** A family of audio files. Both readers throw if the file contains no audio. */
export interface AudioFormat {
  /**
   * Whether a file that starts with these bytes, at least `signatureBytes` of them if it is longer, has this format.
   */
  readonly matches: (head: Buffer) => boolean;
  /** Reads a whole file, in time linear in its size. */
  readonly facts: (file: Buffer) => AudioFacts;
  /** Reads a few blocks of a large file. */
  readonly rangedFacts: (file: RangedFile) => Promise<RangedFacts>;
}

/** Every format is recognizable by this many bytes. */
export const signatureBytes = 64;

/** Reads the bytes from `from` up to, but not including, `to`. */
export type ReadRange = (from: number, to: number) => Promise<Uint8Array>;

/** A file with a limit of 16 blocks to read. */
export interface RangedFile {
  readonly size: number;
  /** Returns fewer bytes at the end of the file. Rejects with TooFar beyond the limits on blocks and reads. */
  bytes(from: number, to: number): Promise<Buffer<ArrayBuffer>>;
  /** The rest of the file from `start` on. */
  from(start: number): RangedFile;
}

/** More of a file would have to be read than is allowed. */
export class TooFar extends Error {}

/**
 * Size of a storage request, and maximum number of requests: for the start and the end of a file, and for the parser's
 * jumps.
 */
export const blockBytes = 256 * 1024;
const maxBlocks = 16;

/** Maximum reads of blocks that are in memory, because each costs the parser processor time. */
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
