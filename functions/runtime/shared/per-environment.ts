import { lazy } from './lazy.ts';

const resets: (() => void)[] = [];

/** Builds a value once for the environment as it is then. */
export function perEnvironment<T>(build: () => T): () => T {
  let current = lazy(build);
  resets.push(() => {
    current = lazy(build);
  });
  return () => current();
}

/** Forgets what was built, so that the next event meets the environment as it is then. */
export function resetEnvironment(): void {
  for (const reset of resets) reset();
}
