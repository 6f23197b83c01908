import { flacFrameAt } from '#domain/audio/checked-audio.ts';
import { aacRate, mpegFrameSeconds } from './mpeg.ts';
import { opusPacketSeconds, VorbisPackets } from './ogg.ts';
import { type AudioFormat, blockBytes, estimated } from './ranged-file.ts';

/** Ids of the elements to read, with the length marker (RFC 9559, RFC 8794). */
const ids = {
  header: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  bitDepth: 0x6264,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const;

/** Elements whose children are read like siblings: a streaming recorder does not know segment and cluster sizes. */
const entered: ReadonlySet<number> = new Set([
  ids.header,
  ids.segment,
  ids.info,
  ids.tracks,
  ids.trackEntry,
  ids.audio,
  ids.cluster,
  ids.blockGroup,
]);

const clusterId = Buffer.from('1f43b675', 'hex');

const audioTrack = 2;
const nanoseconds = 1e9;

/** A track, by its entry. `frames`: seconds of its frames so far; `maxFrames`: their maximum. */
interface Track {
  isAudio: boolean;
  codec: string;
  config: Buffer;
  rate: number;
  channels: number;
  bits: number;
  frames: number;
  maxFrames: number;
  vorbis?: VorbisPackets;
}

/** A film in many languages has a few dozen tracks. */
const maxTracks = 1000;

/** Samples per AAC frame, and the maximum for codecs not listed here. */
const aacSamples = 1024;
const maxSamples = 4096;
const maxOpusSeconds = 0.12;

/** Default sample rate of a track (RFC 9559, "SamplingFrequency"). */
const usualRate = 8000;

/** Offset of the sample rate in a FLAC configuration: in the first block, after the signature. */
const flacRateAt = 18;

/** Clusters in audio for the web last a few seconds, so the last one is in these bytes at the end of the file. */
const tailBytes = 2 * blockBytes;

/**
 * WebM and Matroska files. A whole file lasts as long as its header, its timestamps or its frames, whichever is most:
 * browsers write no duration, and a decoder plays every frame regardless of its timestamp.
 */
export const matroska: AudioFormat = {
  matches: (head) => head.length > 4 && head.readUInt32BE(0) === ids.header,
  facts(file) {
    const { container, hasAudio, header, last, gap, frames, maxFrames } = partsOf(file);
    const seconds = Math.max(header, last + gap, Math.round(frames * 1e6) / 1e6);
    if (!hasAudio || !(seconds > 0) || !Number.isFinite(seconds))
      throw new Error('the file has no audio with a duration');
    return { container, seconds, maxSeconds: maxFrames };
  },
  /** Reads the header and the last block, and the first frames in case they contradict both. */
  async rangedFacts(file) {
    const head = await file.bytes(0, blockBytes);
    const tail = await file.bytes(Math.max(0, file.size - tailBytes), file.size);
    const first = head.indexOf(clusterId);
    const last = lastCluster(tail);
    const end = last === -1 ? Buffer.alloc(0) : tail.subarray(last);
    const parts = partsOf(Buffer.concat([head.subarray(0, first === -1 ? head.length : first), end]));
    const seconds = Math.max(parts.header, parts.last);
    const isKnown = seconds > 0 && Number.isFinite(seconds);
    const maxSeconds = estimated(file, head.length, partsOf(head).frames, seconds);
    return { container: 'EBML', seconds: isKnown ? seconds : undefined, maxSeconds };
  },
};

/**
 * Durations in seconds from the elements in these bytes: the header's, the last block's end, the time between the last
 * two blocks, the sum of the frames, and the maximum of the frames if their content does not show their length.
 */
function partsOf(bytes: Buffer) {
  const tracks: Track[] = [];
  const byNumber = new Map<number, Track>();
  let track = newTrack();
  let container = 'matroska';
  let scale = 1_000_000;
  let length = 0;
  let clusterAt = 0;
  let [last, gap] = [0, 0];

  for (const { id, at, size } of elements(bytes)) {
    if (id === ids.simpleBlock || id === ids.block) {
      if (tracks.length === 0) throw new Error('the file has audio before its tracks');
      const number = variableInteger(bytes, at);
      if (!number || number.next + 2 >= at + size) continue;
      const blockAt = clusterAt + bytes.readInt16BE(number.next);
      if (blockAt > last) [last, gap] = [blockAt, blockAt - last];
      addBlock(byNumber.get(number.value) ?? track, bytes.subarray(number.next + 2, at + size));
      continue;
    }
    const content = bytes.subarray(at, at + size);
    if (id === ids.trackEntry) {
      if (tracks.length === maxTracks) throw new Error('the file has more tracks than are read');
      tracks.push((track = newTrack()));
    } else if (id === ids.trackNumber) byNumber.set(unsigned(content), track);
    else if (id === ids.trackType) track.isAudio = unsigned(content) === audioTrack;
    else if (id === ids.codecId) track.codec = content.toString('latin1', 0, 64);
    else if (id === ids.codecPrivate) track.config = content;
    else if (id === ids.samplingFrequency) track.rate = float(content);
    else if (id === ids.channels) track.channels = unsigned(content);
    else if (id === ids.bitDepth) track.bits = unsigned(content);
    else if (id === ids.docType) container = content.toString('latin1');
    else if (id === ids.timestampScale) scale = unsigned(content);
    else if (id === ids.duration) length = float(content);
    else if (id === ids.timestamp) clusterAt = unsigned(content);
  }
  const seconds = (units: number): number => (units * scale) / nanoseconds;
  let [frames, maxFrames, hasAudio] = [0, 0, false];
  for (const { isAudio, ...of } of tracks) {
    if (!isAudio) continue;
    [hasAudio, frames, maxFrames] = [true, Math.max(frames, of.frames), Math.max(maxFrames, of.maxFrames)];
  }
  return { container, hasAudio, header: seconds(length), last: seconds(last), gap: seconds(gap), frames, maxFrames };
}

const newTrack = (): Track => ({
  isAudio: false,
  codec: '',
  config: Buffer.alloc(0),
  rate: 0,
  channels: 1,
  bits: 16,
  frames: 0,
  maxFrames: 0,
});

/** Adds the frames of a block, from its flags on. Laced frames (RFC 9559, 10.3) count like the first one. */
function addBlock(track: Track, block: Buffer): void {
  const lacing = (block[0] ?? 0) & 0x06;
  const count = lacing === 0 ? 1 : (block[1] ?? 0) + 1;
  const first = block.subarray(lacing === 0 ? 1 : 2 + sizesBytes(block, lacing, count));
  const rate = rateOf(track);
  const { codec, channels, bits } = track;
  let seconds: number | undefined;
  if (codec === 'A_OPUS') seconds = count * opusPacketSeconds(first);
  else if (codec === 'A_VORBIS') seconds = count * (track.vorbis ??= vorbisOf(track.config)).seconds(first);
  else if (codec.startsWith('A_AAC')) seconds = (count * aacSamples) / rate;
  else if (codec.startsWith('A_MPEG/L')) seconds = count * mpegFrameSeconds(first);
  else if (codec === 'A_FLAC') seconds = (count * (flacFrameAt(first, 0)?.samples ?? 0)) / rate;
  else if (codec.startsWith('A_PCM')) seconds = (block.length - 1) / (rate * channels * Math.ceil(bits / 8));
  track.frames += seconds ?? 0;
  const isUncertain = seconds === undefined || lacing !== 0;
  track.maxFrames += isUncertain ? count * (codec === 'A_OPUS' ? maxOpusSeconds : maxSamples / rate) : (seconds ?? 0);
}

/**
 * Bytes of the sizes of all laced frames but the last: Xiph lacing as in Ogg, none for a fixed size, or EBML integers.
 */
function sizesBytes(block: Buffer, lacing: number, count: number): number {
  if (lacing === 0x04) return 0;
  let at = 2;
  for (let sizes = count - 1; sizes > 0 && at < block.length; at += 1) {
    const byte = block[at] ?? 0;
    if (lacing === 0x06) at += Math.clz32(byte) - 24;
    if (lacing === 0x06 || byte < 255) sizes -= 1;
  }
  return at - 2;
}

/** The smaller of the entry's rate and the rate in the decoder configuration. */
function rateOf({ codec, config, rate: entry }: Track): number {
  const rate = entry > 0 ? entry : usualRate;
  if (codec.startsWith('A_AAC')) return Math.min(rate, aacRate(config) ?? rate);
  if (codec !== 'A_FLAC' || config.length < flacRateAt + 4) return rate;
  return Math.min(rate, config.readUInt32BE(flacRateAt) >>> 12 || rate);
}

/**
 * Vorbis headers: their number, the sizes of all but the last as in Ogg, and the headers themselves (RFC 9559,
 * "A_VORBIS").
 */
function vorbisOf(config: Buffer): VorbisPackets {
  const sizes = [0, 0];
  let at = 1;
  for (let index = 0; index < sizes.length && at < config.length; at += 1) {
    const byte = config[at] ?? 0;
    sizes[index] = (sizes[index] ?? 0) + byte;
    if (byte < 255) index += 1;
  }
  const [identification = 0, comments = 0] = sizes;
  const packets = new VorbisPackets(config.subarray(at, at + identification));
  packets.seconds(config.subarray(at + identification + comments));
  return packets;
}

interface Element {
  readonly id: number;
  readonly at: number;
  readonly size: number;
}

/** Elements in order, up to the end or the first invalid one. Elements whose children are read have size 0. */
function* elements(bytes: Buffer): Generator<Element> {
  let at = 0;
  while (at < bytes.length) {
    const id = variableInteger(bytes, at, { withMarker: true });
    const size = id && variableInteger(bytes, id.next);
    if (!id || !size) return;
    at = size.next;
    if (entered.has(id.value)) {
      yield { id: id.value, at, size: 0 };
      continue;
    }
    if (at + size.value > bytes.length) return;
    yield { id: id.value, at, size: size.value };
    at += size.value;
  }
}

/** An integer whose leading zeros are its length in bytes (RFC 8794, 4); undefined at the end of the bytes. */
function variableInteger(bytes: Buffer, at: number, { withMarker = false } = {}) {
  if (at >= bytes.length) return undefined;
  const first = bytes.readUInt8(at);
  const length = Math.clz32(first) - 23;
  const next = at + length;
  if (length > 8 || next > bytes.length) return undefined;
  const lead = withMarker ? first : first & ((1 << (8 - length)) - 1);
  return { value: bigEndian(bytes, at + 1, next, lead), next };
}

const unsigned = (content: Buffer): number => bigEndian(content, 0, Math.min(8, content.length), 0);

function bigEndian(bytes: Buffer, from: number, to: number, lead: number): number {
  let value = lead;
  for (let at = from; at < to; at++) value = value * 256 + bytes.readUInt8(at);
  return value;
}

function float(content: Buffer): number {
  if (content.length === 8) return content.readDoubleBE(0);
  return content.length === 4 ? content.readFloatBE(0) : 0;
}

/** Element that a cluster starts with, after its id and size. */
const timestampId = 0xe7;

function lastCluster(tail: Buffer): number {
  for (let at = tail.lastIndexOf(clusterId); at > 0; at = tail.lastIndexOf(clusterId, at - 1)) {
    const sizeAt = at + clusterId.length;
    const sizeBytes = Math.clz32(tail[sizeAt] ?? 0) - 23;
    if (tail[sizeAt + sizeBytes] === timestampId) return at;
  }
  return tail.indexOf(clusterId) === 0 ? 0 : -1;
}
