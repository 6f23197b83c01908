import { setImmediate as nextTurn } from 'node:timers/promises';
import { createEncoder } from './encoders.ts';
import { createFlite, sampleRate } from './flite.ts';
import type { FromChild, SpeechOrder, ToChild } from './messages.ts';
import { transcriptOf } from './transcript.ts';

/** Characters that are spoken in one go: the first audio is there when the first of them is. */
const maxPartCharacters = 240;

/** A part of SageMaker's stream has a megabyte at most, and a message copies all that its bytes are cut out of. */
const maxPieceBytes = 256 * 1024;

const [, , folder = ''] = process.argv;
const flite = createFlite(folder);
const stopped = new Set<number>();
let last: Promise<void> = Promise.resolve();

/** Ends with the service, as it does when the channel closes. */
const endOnError = (error: Error | null): void => {
  if (error) process.exit();
};
const send = (message: FromChild): void => void process.send?.(message, endOnError);

process.on('message', (message: ToChild) => {
  const { id } = message;
  if (message.kind === 'stop') stopped.add(id);
  else last = last.then(() => speak(id, message.order)).finally(() => stopped.delete(id));
});
process.on('disconnect', () => process.exit());

async function speak(id: number, { text, voice, format, speed }: SpeechOrder): Promise<void> {
  try {
    const [samplesOf, encoder] = await Promise.all([flite, createEncoder(format)]);
    const parts: { text: string; seconds: number }[] = [];
    for (const part of partsOf(text)) {
      if (stopped.has(id)) return;
      const samples = await samplesOf(part, voice, speed);
      parts.push({ text: part, seconds: samples.length / sampleRate });
      sendAudio(id, encoder.add(samples));
      // An order to stop is heard between two parts.
      await nextTurn();
    }
    sendAudio(id, encoder.end(transcriptOf(parts)));
    send({ id, kind: 'end' });
  } catch (error) {
    send({ id, kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
  }
}

function sendAudio(id: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += maxPieceBytes) {
    send({ id, kind: 'audio', bytes: bytes.slice(at, at + maxPieceBytes) });
  }
}

/** Sentences, and long ones at spaces; what has no letter or digit is not spoken. */
function partsOf(text: string): string[] {
  const sentences = text.match(/[^.!?\n]+[.!?\n]*/g) ?? [];
  return sentences
    .flatMap(
      (sentence) =>
        sentence.match(new RegExp(`\\S[^]{0,${maxPartCharacters - 1}}(?=\\s|$)|\\S{1,${maxPartCharacters}}`, 'g')) ??
        [],
    )
    .filter((part) => /[a-z0-9]/i.test(part));
}
