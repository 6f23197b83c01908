import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const enoughBytes = 2 ** 30;

/** An empty folder, in memory where there is room: the database waits for its disk at every write, half of a test's time. */
export async function testFolder(): Promise<string> {
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return mkdtemp(join(room > enoughBytes ? memory : tmpdir(), 'platform-'));
}

/** Removes a folder, also while a child of a killed service writes its last files there. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
