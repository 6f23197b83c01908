import { loadAudioFacts, loadRangedFacts } from '#runtime/services/audio-calls.ts';
import { containerError, type EngineReply } from '../../sagemaker/engine.ts';
import { decodeTranscript } from './speech-data.ts';

/**
 * Returns the transcript that the demo engine stored in the metadata of its own speech. For other audio, the text only
 * names its length.
 */
export async function demoTranscription(form: FormData): Promise<EngineReply> {
  const file = form.get('file');
  if (!(file instanceof File)) return containerError(422, 'The form must have a part named file.');
  const ends = await endsOf(file);
  const known = await secondsOf(file, ends);
  if (known === undefined) return containerError(400, 'The file is not audio.');
  const transcript = decodeTranscript(ends);
  // Like a real model, it transcribes all speech in the file, regardless of the header.
  const duration = Math.max(known, transcript?.segments.at(-1)?.end ?? 0);
  const seconds = Math.round(duration);
  const length = `${seconds} ${seconds === 1 ? 'second' : 'seconds'} of sound`;
  const text = `[${length}: the demo engine reads only its own speech]`;
  const unknown = { text, segments: [{ start: 0, end: duration, text }], words: [] };
  const { words, ...spoken } = transcript ?? unknown;
  const isByWord = form.getAll('timestamp_granularities[]').includes('word');
  // The demo engine speaks English only, so a translation is the same text.
  const task = form.get('task') ?? 'transcribe';
  const body = { task, language: 'en', duration, ...spoken, ...(isByWord && { words }) };
  return {
    kind: 'json',
    status: 200,
    body: form.get('response_format') === 'verbose_json' ? body : { text: body.text },
  };
}

/** Files up to twice this size are read whole. Larger ones only at both ends, which contain our metadata. */
const endBytes = 4 * 1024 * 1024;

async function endsOf(file: File): Promise<Buffer> {
  const parts = file.size <= 2 * endBytes ? [file] : [file.slice(0, endBytes), file.slice(-endBytes)];
  return Buffer.concat(await Promise.all(parts.map(async (part) => Buffer.from(await part.arrayBuffer()))));
}

/**
 * Seconds of an audio file. A large file is read by its ranges, or by its beginning if only the whole file shows its
 * seconds. Undefined if it is not audio.
 */
async function secondsOf(file: File, ends: Buffer): Promise<number | undefined> {
  const factsOf = await loadAudioFacts();
  try {
    if (file.size === ends.length) return (await factsOf(ends)).seconds;
    const rangedFactsOf = await loadRangedFacts();
    const { seconds, maxSeconds } = await rangedFactsOf(file.size, (from, to) => file.slice(from, to).bytes());
    if (seconds !== undefined || maxSeconds !== undefined) return Math.max(seconds ?? 0, maxSeconds ?? 0);
    return ((await factsOf(ends.subarray(0, endBytes))).seconds * file.size) / endBytes;
  } catch {
    return undefined;
  }
}
