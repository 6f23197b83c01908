/** A signal that fires after so many ms, or when another does. `clear` once nothing waits for it any more. */
export interface Deadline {
  readonly signal: AbortSignal;
  readonly end: () => void;
  readonly clear: () => void;
}

/**
 * `AbortSignal.timeout` and `any` say the same, but keep a timer, signals and their weak references for the whole time, also
 * of calls that ended long before: a minute of calls at a time.
 */
export function deadline(ms: number, other?: AbortSignal): Deadline {
  const over = new AbortController();
  const end = (): void => over.abort();
  const timer = setTimeout(end, ms);
  if (other?.aborted) end();
  else other?.addEventListener('abort', end, { once: true });
  function clear(): void {
    clearTimeout(timer);
    other?.removeEventListener('abort', end);
  }
  return { signal: over.signal, end, clear };
}
