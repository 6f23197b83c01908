import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { dataFolderProblem, Problem, systemCode } from './problems.ts';

/** The folder of all stored data, private to its owner and used by one service at a time. */
export interface DataFolder {
  readonly path: string;
  file(name: string): string;
  release(): Promise<void>;
}

/** Milliseconds in which a new lock is written. */
const writingMs = 200;

const Owner = v.pipe(v.string(), v.parseJson(), v.object({ pid: v.number(), born: v.string() }));

/**
 * Creates the folder if necessary and locks it. Throws a Problem if it is not usable or a running service holds the
 * lock. Takes over the lock of a killed service. Logs a sentence if the folder stays open to other users.
 */
export async function openDataFolder(folder: string, log: (line: string) => void): Promise<DataFolder> {
  const path = resolve(folder);
  const lock = join(path, 'service.lock');
  try {
    await makeFolder(path);
    await take(path, lock);
    await restrictToOwner(path, log);
  } catch (error) {
    throw dataFolderProblem(path, error);
  }
  return { path, file: (name) => join(path, name), release: () => rm(lock, { force: true }) };
}

/** Returns the id of the process that holds the folder's lock, if it is alive. */
export async function processUsing(folder: string): Promise<number | undefined> {
  const owner = await ownerOf(join(resolve(folder), 'service.lock'));
  return owner && (await isAlive(owner)) ? owner.pid : undefined;
}

/** Node's `recursive` option never returns on a file system that forbids it, such as /proc. */
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
  const content = JSON.stringify({ pid: process.pid, born: await startTimeOf(process.pid) });
  while (!(await createIfMissing(lock, content))) {
    const owner = (await ownerOf(lock)) ?? (await sleep(writingMs, undefined).then(() => ownerOf(lock)));
    if (owner && (await isAlive(owner)))
      throw new Problem(
        `The data folder ${path} is in use by the service with process id ${owner.pid}. Stop that one, or choose another folder with --data DIR.`,
      );
    await rm(lock, { force: true });
  }
}

/** False if the file exists. */
async function createIfMissing(file: string, content: string): Promise<boolean> {
  return writeFile(file, content, { flag: 'wx', mode: 0o600 }).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    },
  );
}

/** Undefined for an incompletely written lock. */
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
  return (await startTimeOf(pid)) === born;
}

/**
 * Start time of the process in ticks since boot, because process ids are reused, soon in containers. Empty on other
 * systems than Linux. 'ended' for a zombie.
 */
async function startTimeOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? 'ended' : (fields[18] ?? '');
}

const ownFile =
  /^(service\.lock|(dynamodb|queues)\.sqlite(-wal|-shm|-journal)?|mails\.jsonl(\.\d+\.tmp)?|(clock|database|demo|identity-key|[\w-]+\.checkpoint)\.json(\.\d+\.tmp)?)$/;

const ownFolders: ReadonlySet<string> = new Set(['audio']);

const others = 0o077;
const sticky = 0o1000;

/**
 * Restricts a data folder with wider modes to its owner, because it contains passwords, tokens and keys. In a folder
 * that is shared or contains other files, restricts only the service's own files and logs that.
 */
async function restrictToOwner(folder: string, log: (line: string) => void): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const own = entries.filter((entry) => entry.isFile() && ownFile.test(entry.name));
  const { mode } = await stat(folder);
  const folders = entries.filter((entry) => entry.isDirectory() && ownFolders.has(entry.name));
  const isExclusive = own.length + folders.length === entries.length && (mode & sticky) === 0;
  try {
    for (const { name } of own) await restrict(join(folder, name), 0o600);
    if (isExclusive) await restrict(folder, 0o700);
    else if (mode & others)
      log(openFolderSentence(folder, "contains other files: only the service's files were made private"));
  } catch (error) {
    // The file system has no modes, or the files belong to another user.
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes(systemCode(error) ?? '')) throw error;
    log(openFolderSentence(folder, `cannot be made private (${systemCode(error)})`));
  }
}

/** SQLite may have deleted an auxiliary file. */
async function restrict(path: string, mode: number): Promise<void> {
  try {
    if ((await stat(path)).mode & others) await chmod(path, mode);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

const openFolderSentence = (folder: string, why: string): string =>
  `The data folder ${folder} is open to other users of this machine and ${why}. chmod 700 it, or choose another with --data DIR.`;

/** SQLITE_CORRUPT and SQLITE_NOTADB (https://sqlite.org/rescode.html). */
const damageCodes: ReadonlySet<unknown> = new Set([11, 26]);

/** Checked within 0.2 s. Larger files are not checked, because that would delay the start. */
const maxCheckedBytes = 64 * 1024 * 1024;

/**
 * Whether the pages and indexes of the database contradict each other. Does not detect changed values within a page,
 * because SQLite has no checksums.
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

/** Undefined if the file does not exist. Throws a Problem that names the file if its content is invalid. */
export async function readJsonFile<Schema extends v.GenericSchema>(
  file: string,
  schema: Schema,
): Promise<v.InferOutput<Schema> | undefined> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (read.success) return read.output;
  throw new Problem(`The file ${file} is damaged. Remove it, or choose another data folder with --data DIR.`);
}

/** Replaces the whole file, like `replaceFile`. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await replaceFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Replaces the whole file atomically: readers see the old or the new content, even after kill -9. Only the owner can
 * read it. With `flush`, the new content is on disk before the old one is replaced.
 */
export async function replaceFile(file: string, text: string, { flush = false } = {}): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, text, { mode: 0o600, flush });
  await rename(temporary, file);
}

/** Unfinished work, one file each, which a later process continues after a crash. */
export interface Pending<Work extends object> {
  /** Resolves with its name once it is on disk. */
  add(work: Work): Promise<string>;
  remove(name: string): Promise<void>;
  /** In the order in which they were added. */
  left(): Promise<{ readonly name: string; readonly work: Work }[]>;
}

export function openPending<Work extends object>(
  folder: string,
  schema: v.GenericSchema<unknown, Work>,
): Pending<Work> {
  const fileOf = (name: string) => join(folder, `${name}.json`);
  return {
    async add(work) {
      const name = `${String(Date.now()).padStart(15, '0')}-${randomUUID()}`;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeJsonFile(fileOf(name), work);
      return name;
    },
    remove: (name) => rm(fileOf(name), { force: true }),
    async left() {
      const files = await readdir(folder).catch((): string[] => []);
      const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
      const read = names.toSorted().map(async (name) => ({ name, work: await readJsonFile(fileOf(name), schema) }));
      return (await Promise.all(read)).flatMap(({ name, work }) => (work === undefined ? [] : [{ name, work }]));
    },
  };
}
