import type { AudioFacts } from '#domain/audio/transcription.ts';

/** Formats whose samples have a fixed size: PCM, floating point, A-law, µ-law and the extensible form (RFC 2361). */
const sampled: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe]);

/** Compressed formats such as ADPCM have at least this many bits per sample of one channel. */
const minCompressedBits = 2;
const maxSampleBits = 64;

const chunkHeaderBytes = 8;
const formatBytes = 16;
const firstChunkAt = 12;

const text = (bytes: Uint8Array, at: number, length = 4): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('latin1');

export const isWav = (bytes: Uint8Array): boolean =>
  bytes.length >= firstChunkAt && text(bytes, 0) === 'RIFF' && text(bytes, 8) === 'WAVE';

/** Bytes that are read of a chunk: its header and the start of a format. */
export const wavChunkBytes = chunkHeaderBytes + formatBytes;

/**
 * The chunks of a WAV file of `size` bytes, added in order. If they fill the file exactly, the samples are those of the
 * data chunks. Otherwise a length in the header is false, and every byte from the first data chunk on counts as
 * samples.
 */
export class WavChunks {
  readonly #size: number;
  #at = firstChunkAt;
  #bytesPerSecond = Number.POSITIVE_INFINITY;
  #samplesAt: number | undefined;
  #dataBytes = 0;
  #isBroken = false;

  constructor(size: number) {
    this.#size = size;
  }

  /** Offset of the next chunk; undefined at the end. */
  get next(): number | undefined {
    return !this.#isBroken && this.#at + chunkHeaderBytes <= this.#size ? this.#at : undefined;
  }

  /** Adds the next chunk by its first `wavChunkBytes` bytes, or fewer at the end of the file. */
  add(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const inFile = this.#size - this.#at - chunkHeaderBytes;
    const name = text(bytes, 0);
    const length = view.getUint32(4, true);
    // Decoders read the first format; a second one cannot make the audio shorter.
    if (name === 'fmt ' && bytes.length >= wavChunkBytes)
      this.#bytesPerSecond = Math.min(this.#bytesPerSecond, rateOf(view, chunkHeaderBytes));
    if (name === 'data') {
      this.#samplesAt ??= this.#at + chunkHeaderBytes;
      // A streaming encoder does not know the length.
      const used = length === 0 ? inFile : Math.min(length, inFile);
      this.#dataBytes += used;
      this.#at += chunkHeaderBytes + used + (used % 2);
      return;
    }
    this.#isBroken = this.#samplesAt !== undefined && (length > inFile || !/^[ -~]{4}$/.test(name));
    this.#at += chunkHeaderBytes + length + (length % 2);
  }

  /** Stops before the end of the file: the rest may be samples. */
  stop(): void {
    this.#isBroken = true;
    this.#samplesAt ??= this.#at;
  }

  facts(): AudioFacts & { readonly maxSeconds: number } {
    const all = this.#samplesAt === undefined ? 0 : this.#size - this.#samplesAt;
    const isWhole = !this.#isBroken && this.#at >= this.#size;
    const seconds = (bytes: number): number => bytes / this.#bytesPerSecond;
    return { container: 'WAVE', seconds: seconds(isWhole ? this.#dataBytes : all), maxSeconds: seconds(all) };
  }
}

/** Seconds of a WAV file by its samples. The content of other chunks is not read. Each step advances by at least eight bytes. */
export function wavFacts(bytes: Uint8Array): AudioFacts {
  const chunks = new WavChunks(bytes.length);
  for (let at = chunks.next; at !== undefined; at = chunks.next) chunks.add(bytes.subarray(at, at + wavChunkBytes));
  return chunks.facts();
}

/**
 * Bytes per second: by the size of the samples if it is fixed, otherwise by the header's rate, up to the savings of
 * compression.
 */
function rateOf(view: DataView, at: number): number {
  const word = (offset: number): number => view.getUint16(at + offset, true);
  const [format, channels, bits] = [word(0), word(2), word(14)];
  if (bits > maxSampleBits) return Number.NaN;
  const samples = view.getUint32(at + 4, true) * channels;
  if (sampled.has(format)) return samples * Math.ceil(bits / 8);
  return Math.min(view.getUint32(at + 8, true), (samples * Math.max(bits, minCompressedBits)) / 8);
}
