import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Child {
  readonly pid: number;
  readonly port: number;
  close(): Promise<void>;
}

export interface ChildOptions {
  /** Given the port to listen on. */
  readonly command: (port: number) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const startMs = 20_000;

/** Starts a server in a process of its own, and resolves when it takes connections. What it logs goes nowhere, but is written. */
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
