import type { AudioFacts } from '#domain/audio/transcription.ts';

/** Formats whose samples have a fixed size: PCM, floating point, and those of the extensible form (RFC 2361). */
const sampled: ReadonlySet<number> = new Set([1, 3, 0xfffe]);

const chunkHeaderBytes = 8;
const formatBytes = 16;

const text = (bytes: Uint8Array, at: number, length = 4): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString('latin1');

export const isWav = (bytes: Uint8Array): boolean =>
  bytes.length >= 12 && text(bytes, 0) === 'RIFF' && text(bytes, 8) === 'WAVE';

/** A chunk's header, and as much of it as a format takes. */
export const wavChunkBytes = chunkHeaderBytes + formatBytes;

/**
 * A chunk by its first bytes; `rest` bytes are left of the file from its header on. A length of samples that is 0 or beyond the file's end is
 * what a writer puts who does not know it.
 */
export function wavChunk(bytes: Uint8Array, rest: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const inFile = rest - chunkHeaderBytes;
  const name = text(bytes, 0);
  const length = view.getUint32(4, true);
  const isData = name === 'data';
  const used = isData && length === 0 ? inFile : length;
  return {
    bytesPerSecond: name === 'fmt ' && bytes.length >= wavChunkBytes ? rateOf(view, chunkHeaderBytes) : undefined,
    dataBytes: isData ? Math.min(used, inFile) : 0,
    length: chunkHeaderBytes + used + (used % 2),
  };
}

/** Seconds of a WAV file by the samples that it has: its other chunks are not read. Each step goes on by eight bytes or more. */
export function wavFacts(bytes: Uint8Array): AudioFacts {
  let bytesPerSecond = 0;
  let dataBytes = 0;
  for (let at = 12; at + chunkHeaderBytes <= bytes.length;) {
    const chunk = wavChunk(bytes.subarray(at, at + wavChunkBytes), bytes.length - at);
    bytesPerSecond = chunk.bytesPerSecond ?? bytesPerSecond;
    dataBytes += chunk.dataBytes;
    at += chunk.length;
  }
  return { container: 'WAVE', seconds: dataBytes / bytesPerSecond };
}

/** Bytes of a second: by its samples where they have a fixed size. */
function rateOf(view: DataView, at: number): number {
  const word = (offset: number): number => view.getUint16(at + offset, true);
  const [format, channels, bits] = [word(0), word(2), word(14)];
  const samplesPerSecond = view.getUint32(at + 4, true);
  return sampled.has(format) ? samplesPerSecond * channels * Math.ceil(bits / 8) : view.getUint32(at + 8, true);
}
