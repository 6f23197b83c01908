import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../problems.ts';

/** What the service keeps in its folder, with what SQLite and a write under way lay beside it. */
const ownFile =
  /^(service\.lock|(dynamodb|queues)\.sqlite(-wal|-shm|-journal)?|mails\.jsonl(\.\d+\.tmp)?|(clock|demo|identity-key|[\w-]+\.checkpoint)\.json(\.\d+\.tmp)?)$/;

/** Folders of its own in it, which only its user enters. */
const ownFolders: ReadonlySet<string> = new Set(['audio']);

const others = 0o077;
const sticky = 0o1000;

/**
 * Closes a data folder that was made with wider modes to other users of the machine: passwords, tokens and keys are in it.
 * Of a folder that is meant to be shared, or that holds other files too, only the service's files are closed, which is
 * logged.
 */
export async function closeToOthers(folder: string, log: (line: string) => void): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() && ownFile.test(entry.name));
  const { mode } = await stat(folder);
  const folders = entries.filter((entry) => entry.isDirectory() && ownFolders.has(entry.name));
  const isOurs = own.length + folders.length === entries.length && (mode & sticky) === 0;
  try {
    for (const { name } of own) await close(join(folder, name), 0o600);
    if (isOurs) await close(folder, 0o700);
    else if (mode & others)
      log(sentence(folder, "holds files that are not the service's: only its own were closed to them"));
  } catch (error) {
    // A file system without modes, or the files of another user, who has lent them.
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes(systemCode(error) ?? '')) throw error;
    log(sentence(folder, `cannot be closed to them (${systemCode(error)})`));
  }
}

/** SQLite may take a file beside its own away meanwhile. */
async function close(path: string, mode: number): Promise<void> {
  try {
    if ((await stat(path)).mode & others) await chmod(path, mode);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

const sentence = (folder: string, why: string): string =>
  `The data folder ${folder} is open to other users of this machine and ${why}. chmod 700 it, or choose another with --data DIR.`;
