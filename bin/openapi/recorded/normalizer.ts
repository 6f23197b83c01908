import { createHash } from 'node:crypto';
import { isJsonObject } from '#contract/shared/fields.ts';

/** The service's clock while recording (far ahead, so that it can be advanced), and the time written instead. */
export const recordedAt = new Date('2050-01-15T09:00:00Z');
const writtenAt = new Date('2027-01-15T09:00:00Z');
const shiftYears = recordedAt.getUTCFullYear() - writtenAt.getUTCFullYear();
const hour = 3600;

/** Identity tokens, credentials and their prefixes, digests, request ids and completion ids. */
const random =
  /(?<![\w-])(?=[\w.-]*[a-z])(?:eyJ[\w.-]+|whsec_[A-Za-z0-9+/]+=*|(?:whk|evt|dlv|agt|doc|cnv|msg|upl|trn)_[A-Za-z0-9]+|ta[iscrde]_[A-Za-z0-9]{13,}|(?:(?:chatcmpl|cmpl)-)?[A-Za-z0-9]{19}|[\w-]{22})(?![\w-])/g;
const key = /tai_[A-Za-z0-9]{58}/g;
const beginning = 'tai_'.length + 13;

/** Longer lists of numbers are shortened. */
const maxNumbers = 4;

/** Fields with measured durations, which differ between runs, and their replacements. */
const durations: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['latencyMs', 640],
  ['firstByteMs', 180],
  ['durationMs', 85],
  ['x-ratelimit-reset-requests', '63s'],
]);

/** Replaces a file in base64: the beginning of an MP3 file. */
const shownAudio = '//NExAAAAANIAAAAAExBTUUzLjEwMFVVVVVVVVVVVVVVVVVVVQ==';

const uploadUrl = 'https://audio.s3.eu-west-1.amazonaws.com/';
const uploadFields = {
  'Content-Type': 'audio/wav',
  bucket: 'audio',
  'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
  'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20270115/eu-west-1/s3/aws4_request',
  'X-Amz-Date': '20270115T090000Z',
  key: 'uploads/4815162342000042/upl_0V3kQ9sTz1LmXw7RbYcP',
  Policy: 'eyJleHBpcmF0aW9uIjoiMjAyNy0wMS0xNVQxMDowMDowMFoiLCJjb25kaXRpb25zIjpbXX0=',
  'X-Amz-Signature': '5e4b1d0c9a8f7e6d5c4b3a291807f6e5d4c3b2a190807f6e5d4c3b2a19080706',
};

/**
 * Makes recorded values equal in every run. Replaces random values with values of the same form that depend only on the
 * first operation that returns them and their order. Rounds times to the hour and shortens vectors.
 */
export function createNormalizer() {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  let operation = '';

  function digest(): Buffer {
    const count = counts.get(operation) ?? 0;
    counts.set(operation, count + 1);
    return createHash('sha512').update(`example ${count} of ${operation}`).digest();
  }

  function remember(found: string, replacement: string): string {
    known.set(found, replacement);
    return replacement;
  }

  function textFor(found: string): string {
    const head =
      /^(?:eyJ|ta[iscrde]_|whsec_|(?:whk|evt|dlv|agt|doc|cnv|msg|upl|trn)_|(?:chatcmpl|cmpl)-)?/.exec(found)?.[0] ?? '';
    return (
      head +
      digest()
        .toString('base64')
        .replaceAll(/[^A-Za-z0-9]/g, '')
    ).slice(0, head === 'eyJ' ? 40 : found.length);
  }

  /** The record of a key contains its first and last characters. */
  function rememberKeys(value: unknown): void {
    for (const [found] of JSON.stringify(value).matchAll(key)) {
      const replacement = known.get(found) ?? remember(found, textFor(found));
      remember(found.slice(0, beginning), replacement.slice(0, beginning));
      remember(found.slice(-4), replacement.slice(-4));
    }
  }

  function text(value: string): string {
    const plain =
      known.get(value) ?? value.replaceAll(random, (found) => known.get(found) ?? remember(found, textFor(found)));
    return plain
      .replaceAll(/\b20[4-9]\d(?=-\d\d-\d\d)/g, (year) => String(Number(year) - shiftYears))
      .replaceAll(/(T\d\d):\d\d:\d\d\.\d{3}Z/g, '$1:00:00.000Z');
  }

  /** Account ids are random and large. All other numbers are small. */
  function number(value: number): number {
    if (value < 2 ** 33) return value;
    const replacement = () => String(4_815_162_342_000_000 + digest().readUInt16BE());
    return Number(known.get(String(value)) ?? remember(String(value), replacement()));
  }

  function normalized(value: unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (typeof value === 'number') return number(value);
    if (Array.isArray(value)) return shortened(value).map(normalized);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, field(name, inner)]));
  }

  function field(name: string, value: unknown): unknown {
    if (value !== null && durations.has(name)) return durations.get(name);
    if (name === 'audio' && typeof value === 'string') return shownAudio;
    if (name === 'fields') return uploadFields;
    if (name === 'url' && typeof value === 'string' && value.endsWith('/audio')) return uploadUrl;
    // The body of a delivery is JSON.
    if (name === 'body' && typeof value === 'string') return JSON.stringify(normalized(JSON.parse(value)));
    return name === 'created' && typeof value === 'number' ? seconds(value) : normalized(value);
  }

  return {
    begin(id: string): void {
      operation = id;
    },
    value(value: unknown): unknown {
      rememberKeys(value);
      return normalized(value);
    },
    /** The first two and last two events of a stream. */
    stream(body: string): string {
      const events = body.split('\n\n').filter(Boolean);
      const shown = events.length > 4 ? [...events.slice(0, 2), ...events.slice(-2)] : events;
      return shown.map((event) => `${eventOf(event.slice('data: '.length))}\n\n`).join('');
    },
  };

  function eventOf(data: string): string {
    return `data: ${data.startsWith('{') ? JSON.stringify(normalized(JSON.parse(data))) : data}`;
  }
}

function shortened(list: readonly unknown[]): readonly unknown[] {
  return list.every((item) => typeof item === 'number') ? list.slice(0, maxNumbers) : list;
}

/** Maps a time of the recording, in Unix seconds, to the written time. Times of the model catalogue stay the same. */
function seconds(value: number): number {
  const written = value - (recordedAt.getTime() - writtenAt.getTime()) / 1000;
  return value * 1000 < recordedAt.getTime() ? value : written - (written % hour);
}
