import type { SpeechFormat } from '#contract/audio/speech.ts';
import { ServiceError } from '../shared/service-error.ts';
import { flacHeadBytes, samplesInHeader, withSamples } from './flac-length.ts';
import { unknownLength, wavHeaderOf, withLength } from './wav-header.ts';

/** What the file of each format begins with; samples begin with anything, but not with text, as an error in JSON or HTML does. */
const signatures: Readonly<Record<SpeechFormat, (head: Buffer) => boolean>> = {
  mp3: (head) => startsWith(head, 'ID3') || (isFrame(head, 0xe0) && hasLayer(head)),
  opus: (head) => startsWith(head, 'OggS'),
  aac: (head) => startsWith(head, 'ADIF') || isFrame(head, 0xf6, 0xf0) || head.toString('latin1', 4, 8) === 'ftyp',
  flac: (head) => startsWith(head, 'fLaC'),
  wav: (head) => startsWith(head, 'RIFF') && head.toString('latin1', 8, 12) === 'WAVE',
  pcm: (head) => !/^[\s\x20-\x7e]+$/.test(head.toString('latin1', 0, signatureBytes)),
};

const startsWith = (head: Buffer, text: string): boolean => head.toString('latin1', 0, text.length) === text;

/** The 11 or 12 bits at which an MPEG frame begins. */
const isFrame = (head: Buffer, mask: number, wanted = mask): boolean =>
  head[0] === 0xff && ((head[1] ?? 0) & mask) === wanted;

/** A frame of AAC (ADTS) has none of the three layers that MPEG audio has. */
const hasLayer = (head: Buffer): boolean => ((head[1] ?? 0) & 0x06) !== 0;

/** Bytes that every signature needs; and in which the header of a WAV file ends, beside its lists of facts. */
const signatureBytes = 12;
const maxHeaderBytes = 4096;

/**
 * The bytes of an audio file as a model makes them, once they are what was ordered: another format is a MODEL_ERROR before the first
 * byte, and so is a WAV file that ends before its own length. A WAV or FLAC file that was streamed and knows no length is collected and given one.
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

/** So many bytes or more, or all there are. */
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
