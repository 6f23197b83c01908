import { resetEnvironment } from '#runtime/process.ts';

/** Changes environment variables of the functions from the next request on. Returns a function that restores them. */
export function withEnvironment(values: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  resetEnvironment();
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    resetEnvironment();
  };
}
