import type { AudioFacts } from '#domain/audio/transcription.ts';

/** Where the first block's data begins, and in it the sample rate (20 bits) and the number of samples (36 bits) (RFC 9639, 8.2). */
const streamInfoAt = 8;
const rateAt = streamInfoAt + 10;
const samplesAt = streamInfoAt + 13;

export const isFlac = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(4, bytes.length)).toString('latin1') === 'fLaC';

/** Seconds of a FLAC file by its first block: comments and pictures after it are not read. Fails where it has no length. */
export function flacFacts(bytes: Uint8Array): AudioFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rate = view.getUint32(rateAt) >>> 12;
  const samples = (view.getUint8(samplesAt) & 0x0f) * 2 ** 32 + view.getUint32(samplesAt + 1);
  return { container: 'FLAC', seconds: samples / rate };
}
