import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Environment variable with the run's folder in memory (temporary-folder.ts). */
export const memoryVariable = 'TEST_MEMORY';

/** Creates an empty folder, in memory if there is room: waiting for the disk would be half of a test's time. */
export const testFolder = (): Promise<string> => mkdtemp(join(process.env[memoryVariable] ?? tmpdir(), 'platform-'));

/** Removes a folder, even while a child of a killed service is still writing there. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
