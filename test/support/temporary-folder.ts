import { mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryVariable, removeFolder } from './folder.ts';

const memory = '/dev/shm';
const enoughBytes = 2 ** 30;

/** Gives the run its own temporary folder, and one in memory if there is room. Removes both afterwards. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await newFolder(tmpdir());
  process.env['TMPDIR'] = folder;
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  const inMemory = room > enoughBytes ? await newFolder(memory) : undefined;
  if (inMemory !== undefined) process.env[memoryVariable] = inMemory;
  return async () => {
    await removeFolder(folder);
    if (inMemory !== undefined) await removeFolder(inMemory);
  };
}

const newFolder = (parent: string): Promise<string> => mkdtemp(join(parent, 'text-ai-tests-'));
