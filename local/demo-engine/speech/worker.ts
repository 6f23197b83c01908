import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { createEncoder } from './encoders.ts';
import { createFlite, sampleRate } from './flite.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { transcriptOf } from './transcript.ts';

/** Characters that are spoken in one go: the first audio is there when the first of them is. */
const maxPartCharacters = 240;

/** A part of SageMaker's stream has a megabyte at most, and a message copies all that its bytes are cut out of. */
const maxPieceBytes = 256 * 1024;

const { folder }: { folder: string } = workerData;
const flite = createFlite(folder);
const stopped = new Set<number>();
let last: Promise<void> = Promise.resolve();

const send = (message: FromWorker): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(message);
};

parentPort?.on('message', (order: ToWorker) => {
  if (order.kind === 'stop') stopped.add(order.id);
  else last = last.then(() => spoken(order)).finally(() => stopped.delete(order.id));
});

async function spoken({ id, text, voice, format, speed }: ToWorker & { kind: 'speak' }): Promise<void> {
  try {
    const [speak, encoder] = await Promise.all([flite, createEncoder(format)]);
    const parts: { text: string; seconds: number }[] = [];
    for (const part of partsOf(text)) {
      if (stopped.has(id)) return;
      const samples = await speak(part, voice, speed);
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
