import type { AudioFacts } from '#domain/audio/transcription.ts';
import { aacRate } from './mpeg.ts';
import { type AudioFormat, TooFar } from './ranged-file.ts';

/** Boxes whose children are read like siblings (ISO 14496-12). */
const entered: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf']);

/** Boxes to read, by type as a number, so that any other box costs one step. */
const types: ReadonlyMap<number, string> = new Map(
  [...entered, 'tkhd', 'mvhd', 'mdhd', 'hdlr', 'stsd', 'stsz', 'stz2', 'trex', 'tfhd', 'trun'].map((type) => [
    Buffer.from(type, 'latin1').readUInt32BE(),
    type,
  ]),
);

/** A film in many languages has a few dozen tracks. */
const maxTracks = 1000;

/** Bytes of a box header: the usual one, and one with a 64-bit size. */
const [shortHeader, longHeader] = [8, 16];

/** Bytes to request of a box, with its header. A fragment run is read whole if it is available. */
const boxHeadBytes = 256;

/** Flags of the fields of a `tfhd` and a `trun` (ISO 14496-12, 8.8.7 and 8.8.8). */
const headerHas = { offset: 0x1, description: 0x2, duration: 0x8 } as const;
const runHas = { offset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, time: 0x800 } as const;

/** Samples per frame, by codec (ISO 14496-12, 12.2.3; QTFF, "Sound sample descriptions"). */
const frameSamples: Readonly<Record<string, number>> = {
  mp4a: 1024,
  '.mp3': 1152,
  alac: 4096,
  samr: 160,
  sawb: 320,
  ...Object.fromEntries(
    ['sowt', 'twos', 'lpcm', 'raw ', 'in24', 'in32', 'fl32', 'fl64', 'ulaw', 'alaw', 'ipcm', 'fpcm'].map((codec) => [
      codec,
      1,
    ]),
  ),
};
/** Usual and maximum length of a frame: in seconds for Opus, in samples for other codecs. */
const otherFrames = { usual: 1024, max: 4096 } as const;
const opusFrames = { usual: 0.02, max: 0.12 } as const;

interface Track {
  isAudio: boolean;
  timescale: number;
  /** Durations in the track's timescale: of its header, and of its fragment runs. */
  duration: number;
  runs: number;
  defaultDuration: number;
  codec: string;
  rate: number;
  frames: number;
}

/** MP4 files, plain or fragmented. Each step advances by at least eight bytes. Samples are not read. */
export const mp4: AudioFormat = {
  matches: (head) => head.toString('latin1', 4, 8) === 'ftyp',
  facts(file) {
    const boxes = new Mp4Boxes();
    for (let at = 0; at < file.length;) {
      const length = boxes.add(file.subarray(at), file.length - at);
      if (length === 0) break;
      at += length;
    }
    return boxes.facts();
  },
  /** Seconds are undefined for a fragmented file, because its header contains no duration. */
  async rangedFacts(file) {
    const boxes = new Mp4Boxes();
    try {
      for (let at = 0; at + 8 <= file.size;) {
        const length = boxes.add(await file.bytes(at, at + boxHeadBytes), file.size - at);
        if (boxes.isFragmented) return { container: 'mp4', seconds: undefined };
        if (length === 0) break;
        at += length;
      }
    } catch (error) {
      if (!(error instanceof TooFar)) throw error;
      return { container: 'mp4', seconds: undefined };
    }
    return boxes.facts();
  },
};

/**
 * Reads the boxes of an MP4 file in order, by their first bytes. The seconds are the largest of the headers, the
 * fragments and the frames, because a decoder plays every frame regardless of the header.
 */
class Mp4Boxes {
  readonly #tracks: Track[] = [];
  readonly #byId = new Map<number, Track>();
  #current = newTrack();
  #fragmentDuration = 0;
  #movie = 0;

  /** Whether the file is fragmented. Fragments contain the durations that the header lacks. */
  isFragmented = false;

  /**
   * Adds a box by its first bytes. Returns the offset of the next box, or 0 if no box starts there. `rest`: remaining
   * bytes of the file.
   */
  add(head: Buffer, rest: number): number {
    if (head.length < shortHeader) return 0;
    const short = head.readUInt32BE(0);
    const isLong = short === 1;
    const headerBytes = isLong ? longHeader : shortHeader;
    if (head.length < headerBytes) return 0;
    // Size 0 means up to the end of the file.
    const size = short === 0 ? rest : isLong ? Number(head.readBigUInt64BE(shortHeader)) : short;
    if (size < headerBytes) return 0;
    const type = types.get(head.readUInt32BE(4));
    if (type === undefined) return size;
    this.#read(type, head.subarray(headerBytes, size), Math.min(size, rest) - headerBytes);
    return entered.has(type) ? headerBytes : size;
  }

  #read(type: string, data: Buffer, bytes: number): void {
    if (type === 'mvex' || type === 'moof') this.isFragmented = true;
    if (entered.has(type) && type !== 'trak') return;
    const word = (index: number): number => (4 * index + 4 <= data.length ? data.readUInt32BE(4 * index) : 0);
    const isLong = data[0] === 1;
    const current = this.#current;
    if (type === 'trak') {
      if (this.#tracks.length === maxTracks) throw new Error('the file has more tracks than are read');
      this.#tracks.push((this.#current = newTrack()));
    } else if (type === 'tkhd') this.#byId.set(word(isLong ? 5 : 3), current);
    else if (type === 'mvhd') this.#movie = durationOf(data) / (word(isLong ? 5 : 3) || Number.POSITIVE_INFINITY);
    else if (type === 'mdhd') {
      current.timescale = word(isLong ? 5 : 3);
      current.duration = durationOf(data);
    } else if (type === 'hdlr') current.isAudio ||= data.toString('latin1', 8, 12) === 'soun';
    else if (type === 'stsd') describe(current, data);
    else if (type === 'stsz' || type === 'stz2') current.frames += word(2);
    else if (type === 'trex') this.#of(word(1)).defaultDuration = word(3);
    else if (type === 'tfhd') this.#fragment(word);
    else if (type === 'trun') this.#run(word, bytes);
  }

  #of(id: number): Track {
    const track = this.#byId.get(id) ?? newTrack();
    this.#byId.set(id, track);
    return track;
  }

  #fragment(word: (index: number) => number): void {
    this.#current = this.#of(word(1));
    const flags = word(0);
    const before = 2 + (flags & headerHas.offset ? 2 : 0) + (flags & headerHas.description ? 1 : 0);
    this.#fragmentDuration = flags & headerHas.duration ? word(before) : this.#current.defaultDuration;
  }

  /** A run counts at most as many frames as it has entries, because its own count may be larger. */
  #run(word: (index: number) => number, bytes: number): void {
    const [flags, counted] = [word(0), word(1)];
    const each = [runHas.duration, runHas.size, runHas.flags, runHas.time].filter((flag) => flags & flag).length;
    const before = 2 + (flags & runHas.offset ? 1 : 0) + (flags & runHas.firstFlags ? 1 : 0);
    const entries = each === 0 ? counted : Math.min(counted, Math.max(0, Math.ceil((bytes / 4 - before) / each)));
    const current = this.#current;
    current.frames += entries;
    if (!(flags & runHas.duration)) current.runs += entries * this.#fragmentDuration;
    else for (let index = 0; index < entries; index += 1) current.runs += word(before + index * each);
  }

  /** Throws if the file contains no audio. */
  facts(): AudioFacts & { readonly maxSeconds: number } {
    let [seconds, maxSeconds, hasAudio] = [this.#movie, 0, false];
    for (const track of this.#tracks) {
      const { isAudio, timescale, duration, runs } = track;
      if (timescale > 0) seconds = Math.max(seconds, (duration + runs) / timescale);
      if (!isAudio) continue;
      const frames = framesSeconds(track);
      hasAudio = true;
      seconds = Math.max(seconds, frames.seconds);
      maxSeconds = Math.max(maxSeconds, frames.maxSeconds);
    }
    if (!hasAudio || !(seconds > 0)) throw new Error('the file has no audio with a duration');
    return { container: 'mp4', seconds, maxSeconds };
  }
}

const newTrack = (): Track => ({
  isAudio: false,
  timescale: 0,
  duration: 0,
  runs: 0,
  defaultDuration: 0,
  codec: '',
  rate: 0,
  frames: 0,
});

/** Duration in an `mvhd` or `mdhd`. All bits set means unknown. */
function durationOf(data: Buffer): number {
  const isLong = data[0] === 1;
  if (data.length < (isLong ? 32 : 20)) return 0;
  const duration = isLong ? Number(data.readBigUInt64BE(24)) : data.readUInt32BE(16);
  return duration >= (isLong ? 2 ** 53 : 0xffff_ffff) ? 0 : duration;
}

/** Offsets in an `stsd`: codec and rate of the first entry (ISO 14496-12, 12.2.3). */
const entry = { codec: 12, rate: 40 } as const;

function describe(track: Track, data: Buffer): void {
  if (data.length < entry.rate + 4) return;
  track.codec = data.toString('latin1', entry.codec, entry.codec + 4);
  const rate = data.readUInt16BE(entry.rate);
  const config = decoderConfig(data);
  track.rate = Math.min(rate || Number.POSITIVE_INFINITY, (config && aacRate(config)) ?? Number.POSITIVE_INFINITY);
}

/** Descriptor tags in an `esds`, with the bytes before the nested descriptor (ISO 14496-1, 7.2.6). */
const descriptors: Readonly<Record<number, number>> = { 0x03: 3, 0x04: 13 };
const decoderTag = 0x05;

/** Decoder configuration of a track; undefined if its entry has none. */
function decoderConfig(data: Buffer): Buffer | undefined {
  const esds = data.indexOf('esds', entry.rate, 'latin1');
  if (esds === -1) return undefined;
  for (let at = esds + 8; at + 2 < data.length;) {
    const tag = data[at] ?? 0;
    at += 1;
    while ((data[at] ?? 0) & 0x80) at += 1;
    at += 1;
    if (tag === decoderTag) return data.subarray(at);
    const more = descriptors[tag];
    if (more === undefined) return undefined;
    at += more;
  }
  return undefined;
}

/**
 * Maximum seconds of a codec whose frames do not show their length, if usual frames last more than twice the header's
 * seconds.
 */
function framesSeconds({ codec, rate, frames, timescale, duration, runs }: Track) {
  if (!(rate > 0 && rate < Number.POSITIVE_INFINITY)) return { seconds: 0, maxSeconds: 0 };
  const samples = frameSamples[codec];
  if (samples !== undefined) return { seconds: (frames * samples) / rate, maxSeconds: 0 };
  const { usual, max } = codec === 'Opus' ? opusFrames : otherFrames;
  const unit = codec === 'Opus' ? 1 : 1 / rate;
  const isPlausible = timescale > 0 && (duration + runs) / timescale > (frames * usual * unit) / 2;
  return { seconds: 0, maxSeconds: isPlausible ? 0 : frames * max * unit };
}
