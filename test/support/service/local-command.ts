import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import manifest from '../../../package.json' with { type: 'json' };

/** A run of `bin/local.ts`, with its output so far. */
export interface LocalCommand {
  readonly pid: number;
  out(): string;
  err(): string;
  /** Resolves with the origin once the addresses are printed. Rejects if the process ends first. */
  readonly ready: Promise<string>;
  /** The exit code, or the signal. */
  readonly ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
}

const running = new Set<LocalCommand>();

const [program = '', ...start] = manifest.scripts.start.split(' ');

/** Runs the command of `npm start`. `killCommands()` ends it at the latest. */
export function runLocal(args: readonly string[], env: Record<string, string> = {}): LocalCommand {
  const child = spawn(program, [...start, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  const { promise: ready, resolve, reject } = Promise.withResolvers<string>();
  ready.catch(() => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    const origin = /Page\s+(http:\S+)\/\n/.exec(out)?.[1];
    if (origin && out.includes('Ctrl-C')) resolve(origin);
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  void ended.then(() => reject(new Error(`it ended: ${err}`)));
  const command: LocalCommand = {
    pid: child.pid!,
    out: () => out,
    err: () => err,
    ready,
    ended,
    kill: (signal) => void child.kill(signal),
  };
  running.add(command);
  return command;
}

export async function killCommands(): Promise<void> {
  for (const command of running) command.kill('SIGKILL');
  await Promise.all([...running].map(({ ended }) => ended));
  running.clear();
}

/** Processes whose command line contains the text. Processes that ended have no command line. */
export async function processesWith(words: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((pid, index) => pid !== process.pid && lines[index]!.includes(words));
}
