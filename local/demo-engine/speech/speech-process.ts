import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FromChild, SpeechOrder, ToChild } from './messages.ts';

/**
 * V8 ends a process in which threads release WebAssembly's code at the same time ("Check failed:
 * jit_page_->allocations_.erase(addr) == 1", https://github.com/nodejs/node/issues/64500).
 */
const execArgv = ['--single-threaded', '--no-wasm-code-gc', '--disable-warning=ExperimentalWarning'];

/** A process that speaks texts, one after the other. */
export interface SpeechProcess {
  isRunning(): boolean;
  /** The audio of a text, streamed. Throws when the signal aborts, and when the process ends. */
  spoken(order: SpeechOrder, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/** Starts it. It keeps us from nothing, and ends with us at the latest. */
export function startSpeechProcess(): SpeechProcess {
  const folder = mkdtempSync(join(tmpdir(), 'text-ai-speech-'));
  const child = fork(new URL('./speech-child.ts', import.meta.url), [folder], {
    execArgv,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // A session of its own, so that Ctrl-C in the terminal does not end it before the requests under way.
    detached: true,
  });
  child.unref();
  child.channel?.unref();
  const listeners = new Map<number, (message: FromChild) => void>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let isRunning = true;
  let lastId = 0;

  child.on('message', (message: FromChild) => listeners.get(message.id)?.(message));
  child.on('error', (error) => fail(error.message));
  child.on('exit', (code, signal) => fail(`the speech process ended (${signal ?? `exit code ${code}`})`));

  function fail(reason: string): void {
    isRunning = false;
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    for (const [id, onMessage] of listeners) onMessage({ id, kind: 'failed', reason });
    end();
  }

  const send = (message: ToChild): boolean => isRunning && child.send(message);

  async function* spoken(order: SpeechOrder, signal: AbortSignal) {
    const id = (lastId += 1);
    const messages: FromChild[] = [];
    let wake = (): void => undefined;
    const onMessage = (message: FromChild): void => {
      messages.push(message);
      wake();
    };
    const leave = (): void => onMessage({ id, kind: 'failed', reason: 'the caller left' });
    listeners.set(id, onMessage);
    signal.addEventListener('abort', leave, { once: true });
    try {
      send({ id, kind: 'speak', order });
      while (true) {
        const message = messages.shift();
        if (message?.kind === 'audio') yield message.bytes;
        else if (message?.kind === 'failed') throw new Error(message.reason);
        else if (message) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener('abort', leave);
      listeners.delete(id);
      send({ id, kind: 'stop' });
    }
  }

  async function close(): Promise<void> {
    child.kill('SIGKILL');
    await ended;
  }

  return { isRunning: () => isRunning, spoken, close };
}
