import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until a condition holds: streams are eventually consistent. */
export async function until<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 100; tries++) {
    const value = await read();
    if (isThere(value)) return value;
    await sleep(200);
  }
  return read();
}
