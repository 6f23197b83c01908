import type { InferOutput } from 'valibot';
import type { SpeechRequest } from '#contract/audio/speech.ts';
import { callVoices } from '#contract/messages/voices.ts';

type SpeechVoice = InferOutput<typeof SpeechRequest>['voice'];

/** Male voices of calls (Amazon Polly, "Available voices"); the others are female. */
const male: ReadonlySet<string> = new Set([
  'brian',
  'cristiano',
  'enrique',
  'geraint',
  'giorgio',
  'hans',
  'jacek',
  'jan',
  'joey',
  'justin',
  'karl',
  'mads',
  'mathieu',
  'matthew',
  'maxim',
  'miguel',
  'ricardo',
  'ruben',
  'russell',
  'takumi',
]);

const men = callVoices.filter((voice) => male.has(voice));
const women = callVoices.filter((voice) => !male.has(voice));
const maleVoices = ['onyx', 'echo', 'alloy', 'fable'] as const;
const femaleVoices = ['nova', 'shimmer'] as const;

/** The voice of the speech engine that stands for one of calls: of the same sex, and always the same. */
export function speechVoice(voice: string): SpeechVoice {
  const isMale = male.has(voice);
  const place = (isMale ? men : women).findIndex((one) => one === voice);
  const voices = isMale ? maleVoices : femaleVoices;
  return voices[Math.max(0, place) % voices.length] ?? 'alloy';
}
