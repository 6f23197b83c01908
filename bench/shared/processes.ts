import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clock ticks per second in /proc, always 100 for Linux programs (`man 5 proc`). */
const ticksPerSecond = 100;

export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain spaces. User and system time are fields 12 and 13 after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The gateways use this CPU alone. The clients and the upstream stubs share the other one. */
const gatewayProcessor = '0';
const otherProcessor = '1';

/** Requires two CPUs and `taskset`. */
function canPin(): boolean {
  if (availableParallelism() < 2) return false;
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const isPinned = canPin();

/** Moves this process, its threads and its future children to the clients' CPU. */
export const pinClients = (): void => onOtherProcessor(process.pid);

export function onOtherProcessor(pid: number): void {
  if (isPinned) execFileSync('taskset', ['-a', '-c', '-p', otherProcessor, String(pid)], { stdio: 'ignore' });
}

/** A child process by the name of its program. */
export function childOf(parent: number, name: string): { readonly pid: number; readonly args: readonly string[] } {
  const pids = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ').map(Number);
  const children = pids.map((pid) => ({ pid, args: readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0') }));
  const found = children.find(({ args }) => args[0]?.endsWith(name));
  if (!found) throw new Error(`process ${parent} has no child ${name}`);
  return found;
}

export function onGatewayProcessor(command: readonly string[]): readonly string[] {
  return isPinned ? ['taskset', '-c', gatewayProcessor, ...command] : command;
}

export interface Child {
  readonly pid: number;
  readonly port: number;
  close(): Promise<void>;
}

export interface ChildOptions {
  readonly command: (port: number) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const startMs = 20_000;

/** Starts a server process and resolves when it accepts connections. Discards its standard output. */
export async function startChild({ command, env = {} }: ChildOptions): Promise<Child> {
  const port = await freePort();
  const [program = '', ...args] = command(port);
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, ...env } });
  const exited = once(child, 'exit');
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} did not start`);
  const giveUp = performance.now() + startMs;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > giveUp) throw new Error(`${args.join(' ')} did not listen`);
    await sleep(50);
  }
  return {
    pid,
    port,
    async close() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 2000);
      await exited;
      clearTimeout(timer);
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
