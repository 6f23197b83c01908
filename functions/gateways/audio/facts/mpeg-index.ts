import type { MpegFrame } from './mpeg-frames.ts';

/** A first frame of facts begins with one of these (Xing and LAME "Info tag", Fraunhofer "VBRI"). */
const marks = ['Xing', 'Info', 'VBRI'] as const;

/** Their place in a frame: behind its header and what is before its samples. */
const markWithin = 64;

/** Whether a frame has facts in place of samples. */
export const isFrameOfFacts = (bytes: Uint8Array, frame: MpegFrame): boolean => markIn(bytes, frame) !== undefined;

/** How many frames a first frame of facts counts; undefined of any other, and where it counts none. */
export function countedFrames(bytes: Uint8Array, frame: MpegFrame): number | undefined {
  const mark = markIn(bytes, frame);
  if (!mark) return undefined;
  const { content, at, name } = mark;
  const countAt = at + (name === 'VBRI' ? 14 : 8);
  const hasCount = name === 'VBRI' || (content.length >= at + 8 && (content.readUInt32BE(at + 4) & 1) === 1);
  return hasCount && content.length >= countAt + 4 ? content.readUInt32BE(countAt) : undefined;
}

function markIn(bytes: Uint8Array, { container, at, bytes: length }: MpegFrame) {
  if (container !== 'MPEG') return undefined;
  const content = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(length, bytes.length - at));
  const head = content.toString('latin1', 0, markWithin);
  const name = marks.find((mark) => head.includes(mark));
  return name && { name, at: head.indexOf(name), content };
}
