import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Clock ticks a second in /proc: fixed to 100 for programs on Linux, whatever the kernel counts in (`man 5 proc`). */
const ticksPerSecond = 100;

/** Processor seconds that a process and its threads have used so far. */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may have spaces; user and system time are the 12th and 13th field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The gateways have this processor for themselves; the clients and the upstream stubs share the other. */
const gatewayProcessor = '0';
const otherProcessor = '1';

/** Whether processes can be kept to one processor each: two of them, and `taskset`. */
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

/** Keeps this process, all its threads and the children it starts from now on to the clients' processor. */
export function pinClients(): void {
  if (isPinned) execFileSync('taskset', ['-a', '-c', '-p', otherProcessor, String(process.pid)], { stdio: 'ignore' });
}

/** The command line that runs a program on the gateways' processor. */
export function onGatewayProcessor(command: readonly string[]): readonly string[] {
  return isPinned ? ['taskset', '-c', gatewayProcessor, ...command] : command;
}
