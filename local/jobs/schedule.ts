import { described } from '../shared/problems.ts';

/** Something that is done again and again, and once more whenever the clock was moved. */
export interface Recurring {
  readonly name: string;
  readonly everySeconds: number;
  run(): Promise<unknown>;
}

export interface Schedule {
  /** Runs everything once. Resolves when all of it has ended, with whether all of it succeeded. */
  runAll(): Promise<boolean>;
  /**
   * Starts no more runs and waits for the current ones, without logging their errors, because the service is shutting
   * down.
   */
  close(): Promise<void>;
}

/** EventBridge's part on one machine. A run that is due while the last one goes on waits for that one. */
export function startSchedule(tasks: readonly Recurring[], log: (line: string) => void): Schedule {
  let isClosed = false;
  const report = (line: string): void => (isClosed ? undefined : log(line));
  const queues = tasks.map((task) => queueOf(task, report));
  const timers = tasks.map((task, index) => setInterval(() => queues[index]?.whenFree(), task.everySeconds * 1000));

  async function runAll(): Promise<boolean> {
    const outcomes = await Promise.all(queues.map((queue) => queue.now()));
    return outcomes.every(Boolean);
  }

  async function close(): Promise<void> {
    isClosed = true;
    for (const timer of timers) clearInterval(timer);
    await Promise.all(queues.map((queue) => queue.ended()));
  }

  return { runAll, close };
}

function queueOf(task: Recurring, log: (line: string) => void) {
  let last: Promise<boolean> = Promise.resolve(true);
  let waiting = 0;

  /** False if the run failed. */
  async function run(previous: Promise<boolean>): Promise<boolean> {
    await previous;
    try {
      await task.run();
      return true;
    } catch (error) {
      log(`${task.name} failed: ${described(error)}`);
      return false;
    } finally {
      waiting -= 1;
    }
  }

  function now(): Promise<boolean> {
    waiting += 1;
    return (last = run(last));
  }

  return { now, whenFree: () => (waiting === 0 ? void now() : undefined), ended: () => last };
}
