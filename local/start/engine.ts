import { demoEngine } from '../demo-engine/engine.ts';
import { demoSpeechFormats } from '../demo-engine/speech/speech-order.ts';
import { demoSpeech } from '../demo-engine/speech/speech.ts';
import { audioUrlEngine } from '../sagemaker/audio-url.ts';
import type { Engine } from '../sagemaker/engine.ts';
import { modelUrlEngine } from '../sagemaker/model-url.ts';
import type { Closers } from '../shared/closers.ts';
import type { ServiceOptions } from './service-options.ts';

type EngineOptions = Pick<ServiceOptions, 'modelUrl' | 'modelName' | 'audioUrl' | 'wordDelayMs'>;

/** What generates, speaks and transcribes on this machine. */
export const createEngine = (options: EngineOptions, closers: Closers): Engine & Required<Pick<Engine, 'speak'>> => ({
  ...textEngine(options),
  ...audioEngine(options, closers),
});

/** What the page is given of it. */
export const demoFormats = ({ audioUrl }: EngineOptions): string[] | null =>
  audioUrl === undefined ? [...demoSpeechFormats] : null;

function textEngine({ modelUrl, modelName, wordDelayMs }: EngineOptions): Engine {
  if (modelUrl !== undefined) return modelUrlEngine({ url: modelUrl, ...(modelName !== undefined && { modelName }) });
  return demoEngine(wordDelayMs === undefined ? {} : { wordDelayMs });
}

/** Begins nothing: the demo engine starts a process for each text that it is to speak, and reads files with the first of them. */
function audioEngine({ audioUrl }: EngineOptions, closers: Closers): Required<Pick<Engine, 'speak' | 'transcribe'>> {
  if (audioUrl !== undefined) return audioUrlEngine(audioUrl);
  const speech = demoSpeech();
  closers.add(speech);
  const transcribe = async (form: FormData) =>
    (await import('../demo-engine/speech/recognition.ts')).demoTranscription(form);
  return { speak: speech.speak, transcribe };
}
