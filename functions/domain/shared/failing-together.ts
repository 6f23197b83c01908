/** Runs work whose parts run concurrently, with a signal that aborts with the given one and as soon as the work fails, so that nothing goes on for nobody. */
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
