import { described } from '../shared/problems.ts';

/** Something that is done again and again, and once more whenever the clock was moved. */
export interface Recurring {
  readonly name: string;
  readonly everySeconds: number;
  run(): Promise<unknown>;
}

export interface Schedule {
  /** Does everything now; resolves when all of it has ended, however it ended. */
  runAll(): Promise<void>;
  /** Starts nothing more, and lets what runs end. */
  close(): Promise<void>;
}

/** EventBridge's part on one machine. A run that is due while the last one goes on waits for that one. */
export function startSchedule(tasks: readonly Recurring[], log: (line: string) => void): Schedule {
  const queues = tasks.map((task) => queueOf(task, log));
  const timers = tasks.map((task, index) => setInterval(() => queues[index]?.whenFree(), task.everySeconds * 1000));

  async function runAll(): Promise<void> {
    await Promise.all(queues.map((queue) => queue.now()));
  }

  async function close(): Promise<void> {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(queues.map((queue) => queue.ended()));
  }

  return { runAll, close };
}

function queueOf(task: Recurring, log: (line: string) => void) {
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;

  async function run(previous: Promise<void>): Promise<void> {
    await previous;
    try {
      await task.run();
    } catch (error) {
      log(`${task.name} failed: ${described(error)}`);
    } finally {
      waiting -= 1;
    }
  }

  function now(): Promise<void> {
    waiting += 1;
    return (last = run(last));
  }

  return { now, whenFree: () => (waiting === 0 ? void now() : undefined), ended: () => last };
}
