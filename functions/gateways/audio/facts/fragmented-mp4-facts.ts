import type { AudioFacts } from '#domain/audio/transcription.ts';

/** Boxes whose parts are read as if they stood beside them (ISO 14496-12). */
const entered: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'mvex', 'moof', 'traf']);

/** Flags of what stands in a `tfhd` and a `trun` (ISO 14496-12, 8.8.7 and 8.8.8). */
const headerHas = { offset: 0x1, description: 0x2, duration: 0x8 } as const;
const runHas = { offset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, time: 0x800 } as const;

interface Track {
  timescale: number;
  defaultDuration: number;
  /** In its timescale. */
  length: number;
}

/**
 * Container and seconds of an MP4 file that was recorded in fragments, whose header has no duration; undefined for any other. Each step
 * goes on by eight bytes or more. Fails where there is no audio.
 */
export function fragmentedMp4Facts(bytes: Uint8Array): AudioFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tracks = new Map<number, Track>();
  const trackOf = (id: number): Track => {
    const track = tracks.get(id) ?? { timescale: 0, defaultDuration: 0, length: 0 };
    tracks.set(id, track);
    return track;
  };
  let current = trackOf(0);
  let fragmentDuration = 0;
  let [hasFragments, hasAudio] = [false, false];

  for (const { type, at, end } of boxes(view)) {
    if (type === 'moof') hasFragments = true;
    const isLong = end - at >= 4 && view.getUint8(at) === 1;
    const word = (index: number): number => (at + 4 * index + 4 <= end ? view.getUint32(at + 4 * index) : 0);
    if (type === 'tkhd') current = trackOf(word(isLong ? 5 : 3));
    else if (type === 'mdhd') current.timescale = word(isLong ? 5 : 3);
    else if (type === 'hdlr') hasAudio ||= word(2) === 0x736f756e;
    else if (type === 'trex') trackOf(word(1)).defaultDuration = word(3);
    else if (type === 'tfhd') {
      current = trackOf(word(1));
      const flags = word(0);
      const before = 2 + (flags & headerHas.offset ? 2 : 0) + (flags & headerHas.description ? 1 : 0);
      fragmentDuration = flags & headerHas.duration ? word(before) : current.defaultDuration;
    } else if (type === 'trun') current.length += runLength(word, (end - at) / 4, fragmentDuration);
  }
  if (!hasFragments) return undefined;
  let seconds = 0;
  for (const { length, timescale } of tracks.values()) seconds = Math.max(seconds, timescale ? length / timescale : 0);
  if (!hasAudio || !(seconds > 0)) throw new Error('the file has no audio with a duration');
  return { container: 'mp4', seconds };
}

/** Samples of a run, as far as it has them: a count may be larger. */
function runLength(word: (index: number) => number, words: number, usual: number): number {
  const [flags, count] = [word(0), word(1)];
  if (!(flags & runHas.duration)) return count * usual;
  const each = [runHas.duration, runHas.size, runHas.flags, runHas.time].filter((flag) => flags & flag).length;
  const before = 2 + (flags & runHas.offset ? 1 : 0) + (flags & runHas.firstFlags ? 1 : 0);
  let length = 0;
  for (let index = 0; index < count && before + index * each < words; index += 1) length += word(before + index * each);
  return length;
}

interface Box {
  readonly type: string;
  readonly at: number;
  readonly end: number;
}

/** In their order, until the end or what is none. */
function* boxes(view: DataView): Generator<Box> {
  let at = 0;
  while (at + 8 <= view.byteLength) {
    const size = view.getUint32(at);
    const type = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
    // Whose size takes 64 bits is larger than anything that is read here, and one of 0 goes to the end.
    const end = size === 0 || size === 1 ? view.byteLength : at + size;
    if (size > 1 && size < 8) return;
    yield { type, at: at + 8, end: Math.min(end, view.byteLength) };
    at = entered.has(type) ? at + 8 : end;
  }
}
