import type { SpeechFormat } from '#contract/audio/speech.ts';
import { ServiceError } from '../shared/service-error.ts';

/** File signatures by format. Raw samples have none, but must not look like text, such as an error in JSON or HTML. */
const signatures: Readonly<Record<SpeechFormat, (head: Buffer) => boolean>> = {
  mp3: (head) => startsWith(head, 'ID3') || (isFrame(head, 0xe0) && hasLayer(head)),
  opus: (head) => startsWith(head, 'OggS'),
  aac: (head) => startsWith(head, 'ADIF') || isFrame(head, 0xf6, 0xf0) || head.toString('latin1', 4, 8) === 'ftyp',
  flac: (head) => startsWith(head, 'fLaC'),
  wav: (head) => startsWith(head, 'RIFF') && head.toString('latin1', 8, 12) === 'WAVE',
  pcm: (head) => !/^[\s\x20-\x7e]+$/.test(head.toString('latin1', 0, signatureBytes)),
};

const startsWith = (head: Buffer, text: string): boolean => head.toString('latin1', 0, text.length) === text;

const isFrame = (head: Buffer, mask: number, wanted = mask): boolean =>
  head[0] === 0xff && ((head[1] ?? 0) & mask) === wanted;

const hasLayer = (head: Buffer): boolean => ((head[1] ?? 0) & 0x06) !== 0;

/** Bytes that the signatures need, and the maximum size of a WAV header, including metadata chunks. */
const signatureBytes = 12;
const maxHeaderBytes = 4096;

/**
 * Throws MODEL_ERROR before the first byte for another format, and at the end for a truncated WAV file. Buffers a
 * streamed WAV or FLAC file whose header lacks the length, and adds it.
 */
export async function* checkedAudio(chunks: AsyncGenerator<Buffer>, format: SpeechFormat): AsyncGenerator<Buffer> {
  const invalid = () => new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');
  let head = await take(chunks, Buffer.alloc(0), signatureBytes);
  if (head.length === 0 || !signatures[format](head)) throw invalid();
  if (format === 'flac') {
    head = await take(chunks, head, flacHeadBytes);
    const isUnknown = head.length >= flacHeadBytes && samplesInHeader(head) === 0;
    if (isUnknown) {
      yield withSamples(await take(chunks, head, Number.POSITIVE_INFINITY));
      return;
    }
  }
  if (format !== 'wav') {
    yield head;
    yield* chunks;
    return;
  }
  let header = wavHeaderOf(head);
  while (!header) {
    const longer = await take(chunks, head, head.length + 1);
    if (longer.length === head.length || head.length > maxHeaderBytes) throw invalid();
    head = longer;
    header = wavHeaderOf(head);
  }
  if (header.dataBytes === unknownLength) {
    const file = await take(chunks, head, Number.POSITIVE_INFINITY);
    yield withLength(file, header);
    return;
  }
  let missing = header.dataAt + header.dataBytes - head.length;
  yield head;
  for await (const chunk of chunks) {
    missing -= chunk.length;
    yield chunk;
  }
  if (missing > 0) throw new ServiceError('MODEL_ERROR', 'The model stopped before its response was complete.');
}

async function take(chunks: AsyncGenerator<Buffer>, before: Buffer, wanted: number): Promise<Buffer> {
  const pieces = [before];
  let length = before.length;
  while (length < wanted) {
    const next = await chunks.next();
    if (next.done) break;
    pieces.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(pieces, length);
}

interface Container {
  readonly name: RegExp;
  readonly type: string;
  readonly also: readonly string[];
  /** Upper estimate: 128 kbit/s for lossy formats, two channels of 24-bit samples at 96 kHz for others. */
  readonly maxBytesPerSecond: number;
}

const lossy = { maxBytesPerSecond: 16_000 };
const lossless = { maxBytesPerSecond: 576_000 };

const containers: readonly Container[] = [
  { name: /^MPEG/i, type: 'audio/mpeg', also: ['audio/mp3', 'audio/mpga', 'audio/x-mp3'], ...lossy },
  { name: /^WAVE/i, type: 'audio/wav', also: ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'], ...lossless },
  { name: /^FLAC/i, type: 'audio/flac', also: ['audio/x-flac'], ...lossless },
  {
    name: /^Ogg/i,
    type: 'audio/ogg',
    also: ['audio/opus', 'application/ogg', 'video/ogg', 'audio/vorbis'],
    ...lossless,
  },
  { name: /^ADTS/i, type: 'audio/aac', also: ['audio/x-aac', 'audio/aacp'], ...lossy },
  {
    name: /^(?:EBML|webm|matroska)/i,
    type: 'audio/webm',
    also: ['video/webm', 'audio/x-matroska', 'video/x-matroska'],
    ...lossless,
  },
  {
    name: /^(?:M4A|mp4|isom|iso\d|qt|dash|avc)/i,
    type: 'audio/mp4',
    also: ['audio/m4a', 'audio/x-m4a', 'audio/aac', 'video/mp4', 'video/quicktime'],
    ...lossless,
  },
];

const unnamed: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'text/plain']);

export function containerOf(name: string): Container {
  const container = containers.find((known) => known.name.test(name));
  if (container) return container;
  const types = containers.map(({ type }) => type).join(', ');
  throw new ServiceError('INVALID_FORMAT', `The audio must be one of ${types}.`);
}

export function refuseUnknownType(contentType: string): void {
  const given = contentType.toLowerCase();
  if (containers.some(({ type, also }) => type === given || also.includes(given))) return;
  const types = containers.map(({ type }) => type).join(', ');
  throw new ServiceError('INVALID_FORMAT', `contentType must be a supported audio type: ${types}.`);
}

export function refuseOtherType(contentType: string, { type, also }: Container): void {
  const [given = ''] = contentType.toLowerCase().split(';', 1);
  if (unnamed.has(given) || given === type || also.includes(given)) return;
  throw new ServiceError('INVALID_FORMAT', `The file is ${type}, which differs from its Content-Type.`);
}

/** Offsets in a FLAC file's STREAMINFO block (RFC 9639, 8.2): the block size, and the 36-bit total of samples. */
const blockSizeAt = 8;
const samplesAt = 21;
const flacHeadBytes = 42;

/** CRCs of a frame's header and of the whole frame (RFC 9639, 9.1.8 and 9.3). */
const headerCrc = { width: 8, polynomial: 0x07 } as const;
const frameCrc = { width: 16, polynomial: 0x80_05 } as const;

/** Limits of the search for the last frame, far above the output of encoders. */
const maxFrameBytes = 1024 * 1024;
const maxCandidates = 16;

const samplesInHeader = (head: Buffer): number =>
  ((head[samplesAt] ?? 0) & 0x0f) * 2 ** 32 + head.readUInt32BE(samplesAt + 1);

/** Derives the total from the last frame. Returns the file unchanged if no frame is found. */
function withSamples(file: Buffer): Buffer {
  const samples = samplesOf(file);
  if (samples === undefined) return file;
  file.writeUInt8(((file[samplesAt] ?? 0) & 0xf0) | Math.floor(samples / 2 ** 32), samplesAt);
  file.writeUInt32BE(samples % 2 ** 32, samplesAt + 1);
  return file;
}

function samplesOf(file: Buffer): number | undefined {
  const first = Math.max(flacHeadBytes, file.length - maxFrameBytes);
  let candidates = 0;
  for (
    let at = file.lastIndexOf(0xff);
    at >= first && candidates < maxCandidates;
    at = file.lastIndexOf(0xff, at - 1)
  ) {
    const header = flacFrameAt(file, at);
    if (!header) continue;
    candidates += 1;
    const end = file.length - 2;
    if (end <= at || crc(file.subarray(at, end), frameCrc) !== file.readUInt16BE(end)) continue;
    const before = header.isNumberOfFrame ? header.number * file.readUInt16BE(blockSizeAt) : header.number;
    return before + header.samples;
  }
  return undefined;
}

/** Parses a frame header (RFC 9639, 9.1). `kind` is equal for all frames of a stream. */
export function flacFrameAt(file: Buffer, at: number) {
  const [sync = 0, kind = 0, sizes = 0, channels = 0] = [file[at], file[at + 1], file[at + 2], file[at + 3]];
  if (sync !== 0xff || (kind & 0xfe) !== 0xf8 || (channels & 1) === 1 || channels >= 0xb0) return undefined;
  const [size, rateCode] = [sizes >> 4, sizes & 0x0f];
  if (size === 0 || rateCode === 15) return undefined;
  const coded = codedNumber(file, at + 4);
  if (!coded) return undefined;
  const next = at + 4 + coded.bytes;
  const sizeBytes = size === 6 ? 1 : size === 7 ? 2 : 0;
  const rateBytes = rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0;
  const crcAt = next + sizeBytes + rateBytes;
  if (crcAt >= file.length || crc(file.subarray(at, crcAt), headerCrc) !== file[crcAt]) return undefined;
  const samples = sizeBytes > 0 ? file.readUIntBE(next, sizeBytes) + 1 : blockSize(size);
  const rateUnit = rateCode === 12 ? 1000 : rateCode === 14 ? 10 : 1;
  return {
    isNumberOfFrame: kind === 0xf8,
    number: coded.value,
    samples,
    rateCode,
    rate: rateBytes > 0 ? file.readUIntBE(next + sizeBytes, rateBytes) * rateUnit : undefined,
    kind: (kind << 16) | (rateCode << 8) | (channels & 0x0e),
  };
}

function blockSize(code: number): number {
  if (code === 1) return 192;
  return code < 6 ? 576 * 2 ** (code - 2) : 256 * 2 ** (code - 8);
}

/** Reads a number of up to 36 bits in FLAC's extended UTF-8 coding. */
function codedNumber(file: Buffer, at: number): { readonly value: number; readonly bytes: number } | undefined {
  const lead = file[at] ?? 0xff;
  const bytes = Math.max(1, Math.clz32(~(lead << 24)));
  if (bytes > 7 || (lead >= 0x80 && bytes < 2)) return undefined;
  const rest = file.subarray(at + 1, at + bytes);
  if (rest.length < bytes - 1 || rest.some((byte) => (byte & 0xc0) !== 0x80)) return undefined;
  const value = lead < 0x80 ? lead : lead & (0x7f >> bytes);
  return { value: rest.reduce((sum, byte) => sum * 64 + (byte & 0x3f), value), bytes };
}

function crc(
  bytes: Uint8Array,
  { width, polynomial }: { readonly width: number; readonly polynomial: number },
): number {
  const top = 1 << (width - 1);
  const mask = 2 ** width - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) value = (value & top ? (value << 1) ^ polynomial : value << 1) & mask;
  }
  return value;
}

export interface WavHeader {
  readonly dataAt: number;
  readonly dataBytes: number;
}

/** Length in a header that was written before the samples: all remaining bytes. */
const unknownLength = Number.POSITIVE_INFINITY;

const chunkHeaderBytes = 8;
const firstChunkAt = 12;

/** Finds the data chunk of a WAV file (RIFF, "WAVE form"). Returns undefined if it starts beyond these bytes. */
function wavHeaderOf(head: Buffer): WavHeader | undefined {
  for (let at = firstChunkAt; at + chunkHeaderBytes <= head.length;) {
    const name = head.toString('latin1', at, at + 4);
    const length = head.readUInt32LE(at + 4);
    const dataAt = at + chunkHeaderBytes;
    // Encoders write 0 or a maximum if they do not know the length yet.
    if (name === 'data') return { dataAt, dataBytes: length === 0 || length >= 0x7fff_0000 ? unknownLength : length };
    at = dataAt + length + (length % 2);
  }
  return undefined;
}

function withLength(file: Buffer, { dataAt }: WavHeader): Buffer {
  file.writeUInt32LE(file.length - chunkHeaderBytes, 4);
  file.writeUInt32LE(file.length - dataAt, dataAt - 4);
  return file;
}
