import { parseFromTokenizer } from 'music-metadata';
import { fromBlob } from 'strtok3/core';
import { isOfStorage } from '#domain/audio/jobs/ports.ts';
import { isMatroska } from './matroska-facts.ts';

/** Reads a part of a file: `to` is behind its last byte. */
export type ReadRange = (from: number, to: number) => Promise<Uint8Array>;

/** What is read at a time, and how often: a file's beginning and its end, and what lies between where that has its parts. */
const blockBytes = 256 * 1024;
const maxBlocks = 16;

/** Reads of blocks that are there, at most: what a parser does takes reads. */
const maxReads = 60_000;

const oggTailBytes = 64 * 1024;

/** Samples a second of Opus, whatever it was made of (RFC 7845). */
const opusRate = 48_000;

/** Containers whose header need not have a length. */
const withoutLength = /^(?:MPEG|ADTS|EBML|webm|matroska)/i;

class TooFar extends Error {}

/** What a file is and how long, by a few of its blocks. `seconds` is undefined where only all of it has them. */
export async function rangedFacts(size: number, read: ReadRange) {
  const blocks = new Map<number, Uint8Array>();
  let reads = 0;

  async function block(index: number): Promise<Uint8Array> {
    const known = blocks.get(index);
    if (known) return known;
    if (blocks.size === maxBlocks) throw new TooFar('the file has its length in more places than are read');
    const bytes = await read(index * blockBytes, Math.min(size, (index + 1) * blockBytes));
    blocks.set(index, bytes);
    return bytes;
  }

  async function part(from: number, to: number): Promise<ArrayBuffer> {
    reads += 1;
    if (reads > maxReads) throw new TooFar('the file has more parts than are read');
    const bytes = new Uint8Array(Math.max(0, to - from));
    for (let at = from; at < to;) {
      const index = Math.floor(at / blockBytes);
      const piece = (await block(index)).subarray(at - index * blockBytes, to - index * blockBytes);
      if (piece.length === 0) break;
      bytes.set(piece, at - from);
      at += piece.length;
    }
    return bytes.buffer;
  }

  const slice = (from: number, to: number) => ({ arrayBuffer: () => part(from, Math.min(to, size)) });
  const head = Buffer.from(await block(0));
  // What browsers record has its length nowhere: the library refuses their WebM, and takes the first fragment of their MP4 for all of it.
  if (head.toString('latin1', 4, 8) === 'ftyp' && head.includes('mvex', 0, 'latin1'))
    return { container: 'mp4', seconds: undefined };
  const observed: { container?: string | undefined } = {};
  try {
    const { format } = await parseFromTokenizer(fromBlob(blobLike(size, slice)), {
      skipCovers: true,
      observer: ({ metadata }) => {
        observed.container = metadata.format.container ?? observed.container;
      },
    });
    const { container = observed.container, duration, hasAudio, sampleRate, codec } = format;
    if (container === undefined || hasAudio === false) throw new Error('the file has no audio');
    if (container === 'Ogg') return { container, seconds: await oggSeconds(codec === 'Opus' ? opusRate : sampleRate) };
    const isKnown = duration !== undefined && duration > 0 && Number.isFinite(duration);
    if (!isKnown && !withoutLength.test(container)) throw new Error('the audio has no duration');
    return { container, seconds: isKnown ? duration : undefined };
  } catch (error) {
    if (isMatroska(head) && !isOfStorage(error)) return { container: 'EBML', seconds: undefined };
    if (!(error instanceof TooFar) || observed.container === undefined) throw error;
    return { container: observed.container, seconds: undefined };
  }

  /** By the position that the last page of the stream names (RFC 3533). */
  async function oggSeconds(rate: number | undefined): Promise<number | undefined> {
    const tail = Buffer.from(await part(Math.max(0, size - oggTailBytes), size));
    const at = tail.lastIndexOf('OggS', undefined, 'latin1');
    if (rate === undefined || at === -1 || at + 14 > tail.length) return undefined;
    const seconds = Number(tail.readBigInt64LE(at + 6)) / rate;
    return seconds > 0 ? seconds : undefined;
  }
}

/** As much of a Blob as its tokenizer uses. */
function blobLike(
  size: number,
  slice: (from: number, to: number) => { arrayBuffer: () => Promise<ArrayBuffer> },
): Blob {
  const blob = new Blob([]);
  return new Proxy(blob, {
    get(target, name): unknown {
      if (name === 'size') return size;
      if (name === 'slice') return slice;
      return Reflect.get(target, name, target);
    },
  });
}
