import { describe, expect, it } from 'vitest';
import { throwTogether, visitEach } from '#domain/shared/concurrency.ts';
import { times } from '#test/many.ts';

const numbers = (count: number) => times(count, (index) => index).values();

describe('visitEach', () => {
  it('visits every item even if some fail, and returns the failures', async () => {
    const visited: number[] = [];
    const outcome = await visitEach(
      numbers(30),
      async (item) => {
        if (item % 10 === 0) throw new Error(`item ${item}`);
        visited.push(item);
      },
      { concurrency: 4 },
    );
    expect(visited).toHaveLength(27);
    expect(outcome.visited).toBe(30);
    expect(outcome.failures.map(String)).toEqual(['Error: item 0', 'Error: item 10', 'Error: item 20']);
    expect(() => throwTogether(outcome.failures, 'items failed')).toThrow('3 items failed');
  });

  it('runs up to the given number of visits concurrently', async () => {
    let [running, max] = [0, 0];
    await visitEach(
      numbers(20),
      async () => {
        max = Math.max(max, (running += 1));
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
      },
      { concurrency: 5 },
    );
    expect(max).toBe(5);
  });

  it('starts no visit after an abort, and does not report the running ones', async () => {
    const time = new AbortController();
    let visits = 0;
    const outcome = await visitEach(
      numbers(100),
      async () => {
        visits += 1;
        if (visits === 10) time.abort();
        time.signal.throwIfAborted();
      },
      { concurrency: 2, signal: time.signal },
    );
    expect(visits).toBe(10);
    expect(outcome).toEqual({ visited: 10, failures: [] });
  });

  it('reports a failed source after the items before it', async () => {
    async function* source() {
      yield 1;
      throw new Error('no more');
    }
    const outcome = await visitEach(source(), async () => undefined, { concurrency: 3 });
    expect([outcome.visited, outcome.failures.map(String)]).toEqual([1, ['Error: no more']]);
  });
});
