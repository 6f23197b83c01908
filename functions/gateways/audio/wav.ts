import type { AudioFacts } from '#domain/audio/transcription.ts';
import { type AudioFormat, TooFar } from './ranged-file.ts';

/** Formats whose samples have a fixed size: PCM, floating point, A-law, µ-law and the extensible form (RFC 2361). */
const sampled: ReadonlySet<number> = new Set([1, 3, 6, 7, 0xfffe]);

/** Compressed formats such as ADPCM have at least this many bits per sample of one channel. */
const minCompressedBits = 2;
const maxSampleBits = 64;

const chunkHeaderBytes = 8;
const formatBytes = 16;
const firstChunkAt = 12;

/** WAV files, by their samples. The content of other chunks is not read. Each step advances by at least eight bytes. */
export const wav: AudioFormat = {
  matches: (head) => head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WAVE',
  facts(file) {
    const chunks = new WavChunks(file.length);
    for (let at = chunks.next; at !== undefined; at = chunks.next) chunks.add(file.subarray(at, at + chunkBytes));
    return chunks.facts();
  },
  async rangedFacts(file) {
    const chunks = new WavChunks(file.size);
    try {
      for (let at = chunks.next; at !== undefined; at = chunks.next) chunks.add(await file.bytes(at, at + chunkBytes));
    } catch (error) {
      if (!(error instanceof TooFar)) throw error;
      chunks.stop();
    }
    return chunks.facts();
  },
};

/** The header of a chunk and the start of a format. */
const chunkBytes = chunkHeaderBytes + formatBytes;

/**
 * The chunks of a WAV file of `size` bytes, added in order. If they fill the file exactly, the samples are those of the
 * data chunks. Otherwise a length in the header is false, and every byte from the first data chunk on counts as
 * samples.
 */
class WavChunks {
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

  /** Adds the next chunk by its first `chunkBytes` bytes, or fewer at the end of the file. */
  add(bytes: Buffer): void {
    const inFile = this.#size - this.#at - chunkHeaderBytes;
    const name = bytes.toString('latin1', 0, 4);
    const length = bytes.readUInt32LE(4);
    // Decoders read the first format; a second one cannot make the audio shorter.
    if (name === 'fmt ' && bytes.length >= chunkBytes)
      this.#bytesPerSecond = Math.min(this.#bytesPerSecond, rateOf(bytes.subarray(chunkHeaderBytes)));
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

  /** Ends the reading before the end of the file. The rest may be samples. */
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

/**
 * Bytes per second: by the size of the samples if it is fixed, otherwise by the header's rate, up to the savings of
 * compression.
 */
function rateOf(format: Buffer): number {
  const [code, channels, bits] = [format.readUInt16LE(0), format.readUInt16LE(2), format.readUInt16LE(14)];
  if (bits > maxSampleBits) return Number.NaN;
  const samples = format.readUInt32LE(4) * channels;
  if (sampled.has(code)) return samples * Math.ceil(bits / 8);
  return Math.min(format.readUInt32LE(8), (samples * Math.max(bits, minCompressedBits)) / 8);
}
