import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SpeechOrder } from './speech-order.ts';

const program = fileURLToPath(new URL('./speak.ts', import.meta.url));

/**
 * V8 crashes now and then where it releases WebAssembly's code while other threads compile ("Check failed:
 * jit_page_->allocations_.erase(addr) == 1", https://github.com/nodejs/node/issues/64500). So it releases none, and speaks in a
 * process of its own.
 */
const execArgv = ['--no-wasm-code-gc', '--disable-warning=ExperimentalWarning'];

/**
 * The audio of a text, streamed by a process that ends with it; about 200 ms to the first. Throws when that process fails and when
 * the signal aborts, which ends it.
 */
export async function* spokenByProcess(order: SpeechOrder, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'text-ai-speech-'));
  try {
    const child = spawn(process.execPath, [...execArgv, program, folder, String(process.pid)], {
      env: {},
      stdio: ['pipe', 'pipe', 'inherit'],
      signal,
      killSignal: 'SIGKILL',
      // A session of its own, so that Ctrl-C in the terminal does not end it before the requests under way.
      detached: true,
      windowsHide: true,
    });
    const ended = once(child, 'close');
    ended.catch(() => undefined);
    child.stdin.on('error', () => undefined).end(JSON.stringify(order));
    try {
      yield* child.stdout;
      const [code, killedBy] = await ended;
      if (code !== 0) throw new Error(`the speech process ended (${killedBy ?? `exit code ${code}`})`);
    } finally {
      child.kill('SIGKILL');
    }
  } finally {
    // The process may still write to it.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }
}
