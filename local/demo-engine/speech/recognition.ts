import { loadAudioFacts } from '#runtime/audio-services.ts';
import { containerError, type EngineReply } from '../../sagemaker/engine.ts';
import { transcriptIn } from './transcript.ts';

/**
 * Reads back what the demo engine spoke, from the metadata that it wrote. It recognises no other speech, and names the seconds of sound
 * in its place.
 */
export async function demoTranscription(form: FormData): Promise<EngineReply> {
  const file = form.get('file');
  if (!(file instanceof File)) return containerError(422, 'The form has no part file.');
  const bytes = Buffer.from(await file.arrayBuffer());
  const duration = await secondsOf(bytes);
  if (duration === undefined) return containerError(400, 'The file is no audio.');
  const text = `[${Math.round(duration)} seconds of sound]`;
  const unknown = { text, segments: [{ start: 0, end: duration, text }], words: [] };
  const { words, ...transcript } = transcriptIn(bytes) ?? unknown;
  const isByWord = form.getAll('timestamp_granularities[]').includes('word');
  const body = { task: 'transcribe', language: 'en', duration, ...transcript, ...(isByWord && { words }) };
  return {
    kind: 'json',
    status: 200,
    body: form.get('response_format') === 'verbose_json' ? body : { text: body.text },
  };
}

async function secondsOf(bytes: Uint8Array): Promise<number | undefined> {
  const factsOf = await loadAudioFacts();
  return factsOf(bytes).then(
    ({ seconds }) => seconds,
    () => undefined,
  );
}
