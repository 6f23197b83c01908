import { resetEnvironment } from '#runtime/process.ts';

/** Gives the functions other environment variables from the next request on, and returns how to put them back. */
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
