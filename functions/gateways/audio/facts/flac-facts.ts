import { flacFrameAt } from '#domain/audio/checked-audio.ts';
import type { AudioFacts } from '#domain/audio/transcription.ts';

/** Where the first block's data begins, and in it the sample rate (20 bits) and the number of samples (36 bits) (RFC 9639, 8.2). */
const streamInfoAt = 8;
const rateAt = streamInfoAt + 10;
const samplesAt = streamInfoAt + 13;

/** Sample rates by the code in a frame header (RFC 9639, 9.1.2). Code 0 means the rate of the first block. */
const rates = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000] as const;

/** All frames of a stream share these header fields. Two bytes and an 8-bit checksum alone also occur by chance. */
const minFramesOfKind = 2;

export const isFlac = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(4, bytes.length)).toString('latin1') === 'fLaC';

/** Seconds of a FLAC file: the larger of the first block's and the frames'. Skips comments and pictures. */
export function flacFacts(bytes: Uint8Array): AudioFacts {
  return { container: 'FLAC', seconds: Math.max(flacHeaderSeconds(bytes), flacFrameSeconds(bytes)) };
}

/** Returns 0 if the encoder did not know the length. */
export function flacHeaderSeconds(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  const samples = (view.getUint8(samplesAt) & 0x0f) * 2 ** 32 + view.getUint32(samplesAt + 1);
  return samples / flacRate(bytes);
}

/** Seconds of all frames, by their headers. A decoder plays every frame, regardless of the length in the first block. */
export function flacFrameSeconds(bytes: Uint8Array): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const usual = flacRate(bytes);
  const kinds = new Map<number, { frames: number; seconds: number }>();
  for (let at = file.indexOf(0xff); at !== -1; at = file.indexOf(0xff, at + 1)) {
    const frame = flacFrameAt(file, at);
    if (!frame) continue;
    const kind = kinds.get(frame.kind) ?? { frames: 0, seconds: 0 };
    kind.frames += 1;
    kind.seconds += frame.samples / (frame.rate || rates[frame.rateCode] || usual);
    kinds.set(frame.kind, kind);
  }
  let [seconds, single] = [0, 0];
  for (const kind of kinds.values()) {
    if (kind.frames >= minFramesOfKind) seconds += kind.seconds;
    else single = Math.max(single, kind.seconds);
  }
  return seconds || single;
}

const flacRate = (bytes: Uint8Array): number => viewOf(bytes).getUint32(rateAt) >>> 12;

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
