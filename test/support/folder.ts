import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variable of the run's folder in memory (temporary-folder.ts). */
export const memoryVariable = 'TEST_MEMORY';

/** An empty folder, in memory where there is room: the database waits for its disk at every write, half of a test's time. */
export const testFolder = (): Promise<string> => mkdtemp(join(process.env[memoryVariable] ?? tmpdir(), 'platform-'));

/** Removes a folder, also while a child of a killed service writes its last files there. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
