import { statSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { dataFolderProblem, Problem, systemCode } from './problems.ts';

/** The folder that holds everything the service keeps, for its owner only. One service at a time uses it. */
export interface DataFolder {
  readonly path: string;
  file(name: string): string;
  /** Lets the next service use the folder. */
  release(): Promise<void>;
}

/** How long the one that has just made a lock may take to write it. */
const writingMs = 200;

const Owner = v.pipe(v.string(), v.parseJson(), v.object({ pid: v.number(), born: v.string() }));

/**
 * Makes the folder where it is missing and takes it. Throws a Problem when it is not usable, or another service that
 * still runs has it; the lock of one that was killed is taken over. Logs a sentence where it stays open to other users.
 */
export async function openDataFolder(folder: string, log: (line: string) => void): Promise<DataFolder> {
  const path = resolve(folder);
  const lock = join(path, 'service.lock');
  try {
    await makeFolder(path);
    await take(path, lock);
    await closeToOthers(path, log);
  } catch (error) {
    throw dataFolderProblem(path, error);
  }
  return { path, file: (name) => join(path, name), release: () => rm(lock, { force: true }) };
}

/** Node's own way with `recursive` never ends where a file system lets nothing be made, such as /proc. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path, 0o700);
  }
}

async function take(path: string, lock: string): Promise<void> {
  const content = JSON.stringify({ pid: process.pid, born: await birthOf(process.pid) });
  while (!(await made(lock, content))) {
    const owner = (await ownerOf(lock)) ?? (await sleep(writingMs, undefined).then(() => ownerOf(lock)));
    if (owner && (await isAlive(owner)))
      throw new Problem(
        `The data folder ${path} is in use by the service with process id ${owner.pid}. Stop that one, or choose another folder with --data DIR.`,
      );
    await rm(lock, { force: true });
  }
}

/** False when the file is there already. */
async function made(file: string, content: string): Promise<boolean> {
  return writeFile(file, content, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    },
  );
}

/** Undefined for a lock that is not written to its end, for now or, after a kill, for ever. */
async function ownerOf(lock: string): Promise<v.InferOutput<typeof Owner> | undefined> {
  const owner = v.safeParse(Owner, await readFile(lock, 'utf8').catch(() => ''));
  return owner.success ? owner.output : undefined;
}

async function isAlive({ pid, born }: v.InferOutput<typeof Owner>): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) === 'ESRCH') return false;
  }
  return (await birthOf(pid)) === born;
}

/**
 * When the process began, in ticks since boot: process ids are reused, in containers soon. Empty off Linux, and
 * 'ended' for a process that was killed and has not been waited for (a zombie).
 */
async function birthOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? 'ended' : (fields[18] ?? '');
}

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
async function closeToOthers(folder: string, log: (line: string) => void): Promise<void> {
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

/** SQLite's own codes: what is stored contradicts itself, and the file is no database (https://sqlite.org/rescode.html). */
const damageCodes: ReadonlySet<unknown> = new Set([11, 26]);

/** Looked through in a fifth of a second; a larger file is left unchecked, so that it does not hold up the start. */
const maxCheckedBytes = 64 * 1024 * 1024;

/**
 * Whether the database's pages and indexes contradict each other, so that what is read may be wrong and what is written
 * may do more harm. Values that changed within a page are not noticed: SQLite keeps no checksums.
 */
export function isDamaged(file: string): boolean {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 || size > maxCheckedBytes) return false;
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] !== 'ok';
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error && 'errcode' in error && damageCodes.has(error.errcode);
  }
}
