import { afterAll, beforeAll } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { killCommands, runLocal } from '#test/service/local-command.ts';
import type { Access } from './run-client.ts';

/** Runs the command of `npm start` on an empty folder, with the key of its demo account. */
export function useStartedService(args: readonly string[] = []): Access {
  const access = { origin: '', key: '' };
  let folder: string;
  beforeAll(async () => {
    folder = await testFolder();
    const command = runLocal(['--port', '0', '--data', folder, ...args]);
    const origin = await command.ready;
    const [key = ''] = /tai_\w+/.exec(command.out()) ?? [];
    Object.assign(access, { origin, key });
  }, 60_000);
  afterAll(async () => {
    await killCommands();
    await removeFolder(folder);
  });
  return access;
}
