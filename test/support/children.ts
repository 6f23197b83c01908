import type { ChildProcess } from 'node:child_process';

const running = new Set<ChildProcess>();

/** Kills a child process at the latest when its test file ends, because a worker waits for the pipes of its children. */
export function endWithFile(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

export const endChildren = (): void => running.forEach((child) => void child.kill('SIGKILL'));
