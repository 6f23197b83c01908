import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { dataFolderProblem, Problem, systemCode } from '../problems.ts';
import { closeToOthers } from './file-modes.ts';

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
