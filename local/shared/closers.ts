export interface Part {
  close(): unknown;
}

export interface Closers {
  /** A part added after closing is closed immediately. */
  add(part: Part): void;
  /** Closes everything once, continues after errors, and rejects with the first one. */
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
