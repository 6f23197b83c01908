import type { AudioFacts } from '#domain/audio/transcription.ts';

/** Elements that are read (RFC 9559, RFC 8794), by their ids with the marker. */
const ids = {
  header: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const;

/** Whose parts are read as if they stood beside them: a recorder that streams knows the size of neither segment nor cluster. */
const entered: ReadonlySet<number> = new Set([
  ids.header,
  ids.segment,
  ids.info,
  ids.tracks,
  ids.trackEntry,
  ids.cluster,
  ids.blockGroup,
]);

/** With which a cluster begins. */
export const clusterId = Buffer.from('1f43b675', 'hex');

const audioTrack = 2;
const nanoseconds = 1e9;

export const isMatroska = (bytes: Uint8Array): boolean => bytes.length > 4 && viewOf(bytes).getUint32(0) === ids.header;

/**
 * Container and seconds of a WebM or Matroska file: the larger of its header's and its blocks' seconds, as browsers record without the
 * first. Each step goes on by two bytes or more, so that no file takes more than one walk. Fails where there is no audio.
 */
export function matroskaFacts(bytes: Uint8Array): AudioFacts {
  const { container, hasAudio, header, last, gap } = matroskaParts(bytes);
  const seconds = Math.max(header, last + gap);
  if (!hasAudio || !(seconds > 0) || !Number.isFinite(seconds))
    throw new Error('the file has no audio with a duration');
  return { container, seconds };
}

/** What a file's elements have, as far as these bytes go, in seconds: its header, its last block, and between that and the one before. */
export function matroskaParts(bytes: Uint8Array) {
  const view = viewOf(bytes);
  let container = 'matroska';
  let hasAudio = false;
  let scale = 1_000_000;
  let length = 0;
  let clusterAt = 0;
  let [last, gap] = [0, 0];

  for (const { id, at, size } of elements(view)) {
    if (id === ids.docType) container = Buffer.from(bytes.subarray(at, at + size)).toString('latin1');
    else if (id === ids.trackType) hasAudio ||= unsigned(view, at, size) === audioTrack;
    else if (id === ids.timestampScale) scale = unsigned(view, at, size);
    else if (id === ids.duration) length = float(view, at, size);
    else if (id === ids.timestamp) clusterAt = unsigned(view, at, size);
    else if (id === ids.simpleBlock || id === ids.block) {
      const track = variableInteger(view, at);
      if (!track || track.next + 2 > at + size) continue;
      const blockAt = clusterAt + view.getInt16(track.next);
      if (blockAt > last) [last, gap] = [blockAt, blockAt - last];
    }
  }
  const seconds = (units: number): number => (units * scale) / nanoseconds;
  return { container, hasAudio, header: seconds(length), last: seconds(last), gap: seconds(gap) };
}

interface Element {
  readonly id: number;
  readonly at: number;
  readonly size: number;
}

/** Those with a value, in their order, until the end or what is none. */
function* elements(view: DataView): Generator<Element> {
  let at = 0;
  while (at < view.byteLength) {
    const id = variableInteger(view, at, { withMarker: true });
    const size = id && variableInteger(view, id.next);
    if (!id || !size) return;
    at = size.next;
    if (entered.has(id.value)) continue;
    if (at + size.value > view.byteLength) return;
    yield { id: id.value, at, size: size.value };
    at += size.value;
  }
}

/** An integer whose leading zeros are its length in bytes (RFC 8794, 4); undefined where there is none. */
function variableInteger(view: DataView, at: number, { withMarker = false } = {}) {
  if (at >= view.byteLength) return undefined;
  const first = view.getUint8(at);
  const length = Math.clz32(first) - 23;
  const next = at + length;
  if (length > 8 || next > view.byteLength) return undefined;
  const lead = withMarker ? first : first & ((1 << (8 - length)) - 1);
  return { value: bigEndian(view, at + 1, next, lead), next };
}

const unsigned = (view: DataView, at: number, size: number): number => bigEndian(view, at, at + Math.min(size, 8), 0);

function bigEndian(view: DataView, from: number, to: number, before: number): number {
  let value = before;
  for (let at = from; at < to; at += 1) value = value * 256 + view.getUint8(at);
  return value;
}

function float(view: DataView, at: number, size: number): number {
  if (size === 8) return view.getFloat64(at);
  return size === 4 ? view.getFloat32(at) : 0;
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
