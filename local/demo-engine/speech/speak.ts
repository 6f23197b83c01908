import { rmSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import * as v from 'valibot';
import { createEncoder } from './encoders.ts';
import { createFlite, sampleRate } from './flite.ts';
import { SpeechOrder } from './speech-order.ts';
import { transcriptOf } from './transcript.ts';

/**
 * The process that speaks one text: its order as JSON on standard input, its audio on standard output; its arguments are a folder to
 * write to and the process id of the service.
 */
const [, , folder = '', service] = process.argv;
process.stdout.on('error', () => process.exit(1));
// Also when the service is killed before it has written the whole order.
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Characters that are spoken in one go: the first audio is there when the first of them is. */
const maxPartCharacters = 240;

const { text, voice, format, speed } = v.parse(SpeechOrder, await json(process.stdin));
const [samplesOf, encoder] = await Promise.all([createFlite(folder), createEncoder(format)]);
const parts: { text: string; seconds: number }[] = [];
for (const part of partsOf(text)) {
  // While nothing is written, nothing else shows that the service was killed.
  if (process.ppid !== Number(service)) process.exit(1);
  const samples = await samplesOf(part, voice, speed);
  parts.push({ text: part, seconds: samples.length / sampleRate });
  process.stdout.write(encoder.add(samples));
}
process.stdout.write(encoder.end(transcriptOf(parts)));

/** Sentences, and long ones at spaces; what has no letter or digit is not spoken. */
function partsOf(spoken: string): string[] {
  const sentences = spoken.match(/[^.!?\n]+[.!?\n]*/g) ?? [];
  return sentences
    .flatMap(
      (sentence) =>
        sentence.match(new RegExp(`\\S[^]{0,${maxPartCharacters - 1}}(?=\\s|$)|\\S{1,${maxPartCharacters}}`, 'g')) ??
        [],
    )
    .filter((part) => /[a-z0-9]/i.test(part));
}
