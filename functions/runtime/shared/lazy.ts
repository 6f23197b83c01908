/** Builds a value when it is first needed, and keeps it; a promise that is rejected is made again. */
export function lazy<T>(build: () => T): () => T {
  let built: { value: T } | undefined;
  return () => {
    if (built) return built.value;
    const { value } = (built = { value: build() });
    if (value instanceof Promise) value.catch(() => (built = undefined));
    return value;
  };
}

type Method = (...args: never[]) => Promise<unknown>;
type Methods<T> = { [Name in keyof T]: T[Name] extends Method ? Name : never }[keyof T];

/** An object's methods, before it is loaded: the first call of one of them loads it. */
export function deferred<T, Name extends Methods<T>>(load: () => Promise<T>, names: readonly Name[]): Pick<T, Name> {
  const methods = names.map((name) => {
    const call = async (...args: unknown[]) => Reflect.apply(Object((await load())[name]), undefined, args);
    return [name, call];
  });
  return Object.fromEntries(methods);
}
