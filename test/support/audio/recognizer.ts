import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from './python-package.ts';

const run = promisify(execFile);

/** A small recognizer whose wheel contains an English model. */
const recognizer = 'pocketsphinx==5.0.4';
const script = join(import.meta.dirname, 'recognize.py');

/** Installs the recognizer into its own folder. Returns the reason if that fails. */
export const installRecognizer = (folder: string) => installPackage(folder, recognizer);

/** The recognized text of each recording, which has 24,000 samples per second. */
export async function recognize(python: string, folder: string, recordings: readonly Buffer[]): Promise<string[]> {
  const paths = recordings.map((_, at) => join(folder, `${at}.raw`));
  await Promise.all(recordings.map((samples, at) => writeFile(paths[at] ?? '', slower(samples))));
  const { stdout } = await run(python, [script, ...paths]);
  return stdout.trimEnd().split('\n');
}

/** Converts three samples to two, because the recognizer expects 16,000 per second. */
function slower(samples: Buffer): Buffer {
  const count = Math.floor(samples.length / 6) * 2;
  const at = (index: number): number => samples.readInt16LE(Math.min(index * 2, samples.length - 2));
  const taken = Buffer.alloc(count * 2);
  for (let index = 0; index < count; index++) {
    const place = index * 1.5;
    const whole = Math.floor(place);
    const part = place - whole;
    taken.writeInt16LE(Math.round(at(whole) * (1 - part) + at(whole + 1) * part), index * 2);
  }
  return taken;
}

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z']+/g) ?? [];

/** The number of words that two texts have in common in the same order. */
export function wordsInOrder(spoken: readonly string[], heard: readonly string[]): number {
  let before = Array<number>(heard.length + 1).fill(0);
  for (const word of spoken) {
    const row = [0];
    for (const [at, other] of heard.entries())
      row.push(word === other ? (before[at] ?? 0) + 1 : Math.max(before[at + 1] ?? 0, row[at] ?? 0));
    before = row;
  }
  return before.at(-1) ?? 0;
}
