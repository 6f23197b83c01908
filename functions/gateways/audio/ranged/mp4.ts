import { type RangedFile, TooFar } from './ranged-file.ts';

/** Boxes whose parts are read as if they stood beside them (ISO 14496-12). */
const entered: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia']);

/** A box's header, and as much of it as a length or a handler takes. */
const headBytes = 48;

/** Of MP4 by the headers of the file and its tracks, wherever those stand; undefined of one in fragments, whose header has no duration. */
export async function rangedMp4(file: RangedFile) {
  const container = 'mp4';
  let seconds = 0;
  let hasAudio = false;
  try {
    for (let at = 0; at + 8 <= file.size;) {
      const head = await file.bytes(at, at + headBytes);
      const type = head.toString('latin1', 4, 8);
      if (type === 'mvex' || type === 'moof') return { container, seconds: undefined };
      const short = head.readUInt32BE(0);
      const isLong = short === 1 && head.length >= 16;
      const length = isLong ? Number(head.readBigUInt64BE(8)) : short;
      const data = head.subarray(isLong ? 16 : 8);
      if (type === 'mvhd' || type === 'mdhd') seconds = Math.max(seconds, secondsOf(data));
      if (type === 'hdlr') hasAudio ||= data.toString('latin1', 8, 12) === 'soun';
      if (short === 0 || length < head.length - data.length) break;
      at += entered.has(type) ? head.length - data.length : length;
    }
  } catch (error) {
    if (!(error instanceof TooFar)) throw error;
    return { container, seconds: undefined };
  }
  if (!hasAudio || seconds === 0) throw new Error('the file has no audio with a duration');
  return { container, seconds };
}

/** Of a `mvhd` or `mdhd`; one that is all bits is unknown. */
function secondsOf(data: Buffer): number {
  const isLong = data[0] === 1;
  if (data.length < (isLong ? 32 : 20)) return 0;
  const timescale = data.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(data.readBigUInt64BE(24)) : data.readUInt32BE(16);
  const isUnknown = duration >= (isLong ? 2 ** 53 : 0xffff_ffff);
  return isUnknown || timescale === 0 ? 0 : duration / timescale;
}
