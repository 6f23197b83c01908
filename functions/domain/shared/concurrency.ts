export interface Visits {
  readonly visited: number;
  readonly failures: readonly unknown[];
}

/**
 * A failed visit does not stop the others. Once `signal` aborts, no visit starts, and failures are not reported,
 * because the next run repeats them.
 */
export async function visitEach<T>(
  items: AsyncGenerator<T> | IterableIterator<T>,
  visit: (item: T) => Promise<unknown>,
  { concurrency, signal }: { readonly concurrency: number; readonly signal?: AbortSignal | undefined },
): Promise<Visits> {
  const failures: unknown[] = [];
  let visited = 0;
  const fail = (error: unknown): void => {
    if (!signal?.aborted) failures.push(error);
  };
  async function walk(): Promise<void> {
    for await (const item of items) {
      if (signal?.aborted) return;
      visited += 1;
      await visit(item).catch(fail);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, () => walk().catch(fail)));
  return { visited, failures };
}

export function throwTogether(failures: readonly unknown[], problem: string): void {
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} ${problem}`);
}

export async function failingTogether<T>(
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const failed = new AbortController();
  try {
    return await work(signal ? AbortSignal.any([signal, failed.signal]) : failed.signal);
  } catch (error) {
    failed.abort();
    throw error;
  }
}

/** Maps items in order, at most `concurrency` at a time. After the first failure no further item starts. */
export async function mapTogether<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  let hasFailed = false;
  async function walk(): Promise<void> {
    for (const [index, item] of left) {
      if (hasFailed) return;
      results[index] = await map(item);
    }
  }
  const fail = (error: unknown): never => {
    hasFailed = true;
    throw error;
  };
  await Promise.all(Array.from({ length: concurrency }, () => walk().catch(fail)));
  return results;
}
