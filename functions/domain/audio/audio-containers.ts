import { ServiceError } from '../shared/service-error.ts';

interface Container {
  /** As a reader of audio names it. */
  readonly name: RegExp;
  /** Media type that the file goes on as. */
  readonly type: string;
  /** What it may be called beside that. */
  readonly also: readonly string[];
  /** Bytes that a second of it hardly exceeds: of lossy ones 128 kbit, of others two channels of 96,000 samples of 24 bits. */
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

/** Types that name nothing: what clients send who do not know the file. */
const unnamed: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'text/plain']);

/** Refuses (400) a container that no model takes. */
export function containerOf(name: string): Container {
  const container = containers.find((known) => known.name.test(name));
  if (container) return container;
  const types = containers.map(({ type }) => type).join(', ');
  throw new ServiceError('INVALID_FORMAT', `The audio must be one of ${types}.`);
}

/** Refuses (400) a media type that no container has. */
export function refuseUnknownType(contentType: string): void {
  const given = contentType.toLowerCase();
  if (containers.some(({ type, also }) => type === given || also.includes(given))) return;
  const types = containers.map(({ type }) => type).join(', ');
  throw new ServiceError('INVALID_FORMAT', `contentType must be a supported audio type: ${types}.`);
}

/** Refuses (400) a file that is called what it is not. */
export function refuseOtherType(contentType: string, { type, also }: Container): void {
  const [given = ''] = contentType.toLowerCase().split(';', 1);
  if (unnamed.has(given) || given === type || also.includes(given)) return;
  throw new ServiceError('INVALID_FORMAT', `The file is ${type}, but its Content-Type names another format.`);
}
