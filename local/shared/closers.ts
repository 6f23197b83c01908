/** Something that has been started and must be ended. */
export interface Part {
  close(): unknown;
}

/** What has been started so far; ended in the opposite order. */
export interface Closers {
  /** A part that is added after the end is ended immediately. */
  add(part: Part): void;
  /** Ends everything once; goes on when one fails, and rejects with the first failure at the end. */
  closeAll(): Promise<void>;
}

export function createClosers(): Closers {
  const parts: Part[] = [];
  let closing: Promise<void> | undefined;

  async function run(): Promise<void> {
    const failures: unknown[] = [];
    for (const part of parts.toReversed()) {
      try {
        await part.close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  function add(part: Part): void {
    if (closing) void closing.then(() => part.close());
    else parts.push(part);
  }

  return { add, closeAll: () => (closing ??= run()) };
}
