import type { AudioFacts } from '#domain/audio/transcription.ts';
import { tagLength } from './after-tags.ts';
import { mpegFrames } from './mpeg-frames.ts';
import { isFrameOfFacts } from './mpeg-index.ts';

/**
 * Seconds of MPEG audio, by all of its frames. Bytes outside frames and tags count at the rate of the frames, because
 * another decoder may find audio there. Fails if there is no frame.
 */
export function mpegFacts(bytes: Uint8Array): AudioFacts {
  let container: string | undefined;
  let [seconds, frameBytes, otherBytes, end] = [0, 0, 0, 0];
  for (const frame of mpegFrames(bytes)) {
    otherBytes += withoutTags(bytes.subarray(end, frame.at));
    end = frame.at + frame.bytes;
    if (container === undefined && isFrameOfFacts(bytes, frame)) continue;
    container ??= frame.container;
    seconds += frame.samples / frame.rate;
    frameBytes += frame.bytes;
  }
  if (container === undefined) throw new Error('the file has no audio');
  otherBytes += withoutTags(bytes.subarray(end));
  return { container, seconds: seconds * (1 + otherBytes / frameBytes) };
}

/** Bytes of an ID3v1 tag at the end of a file, and of an APEv2 footer with the offset of its length. */
const id3v1Bytes = 128;
const apeFooterBytes = 32;
const apeLengthAt = 12;

/** Bytes between frames, without padding and tags. */
function withoutTags(gap: Uint8Array): number {
  if (gap.length === 0) return 0;
  let rest = Buffer.from(gap.buffer, gap.byteOffset, gap.byteLength);
  const content = rest.findIndex((byte) => byte !== 0);
  if (content === -1) return 0;
  rest = rest.subarray(content);
  rest = rest.subarray(tagLength(rest));
  if (rest.length >= id3v1Bytes && rest.toString('latin1', rest.length - id3v1Bytes).startsWith('TAG'))
    rest = rest.subarray(0, -id3v1Bytes);
  const footer = rest.subarray(-apeFooterBytes);
  if (footer.length === apeFooterBytes && footer.toString('latin1', 0, 8) === 'APETAGEX')
    rest = rest.subarray(0, Math.max(0, rest.length - apeFooterBytes - footer.readUInt32LE(apeLengthAt)));
  return rest.length;
}
