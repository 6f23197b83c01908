import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from './python-package.ts';

const run = promisify(execFile);

/** Small, and with a model of English in its wheel. */
const recognizer = 'pocketsphinx==5.0.4';
const script = join(import.meta.dirname, 'recognize.py');

/** Installs a recognizer in a folder of its own. Gives the reason where that cannot be done here. */
export const installRecognizer = (folder: string) => installPackage(folder, recognizer);

/** What it hears in files of samples, 24,000 a second, a line each. */
export async function recognize(python: string, folder: string, recordings: readonly Buffer[]): Promise<string[]> {
  const paths = recordings.map((_, at) => join(folder, `${at}.raw`));
  await Promise.all(recordings.map((samples, at) => writeFile(paths[at] ?? '', slower(samples))));
  const { stdout } = await run(python, [script, ...paths]);
  return stdout.trimEnd().split('\n');
}

/** Two samples in the place of three: the recognizer takes 16,000 a second. */
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

/** How many words of one text another has in the same order. */
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
