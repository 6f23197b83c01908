/** The process died here. */
export class Died extends Error {}

type Methods = Readonly<Record<string, (...parameters: any[]) => any>>;

/**
 * The same methods, of which the named one dies, before or after it has done its work; so does every one after that, as nothing more is done by
 * a process that has died.
 */
export function dying<T extends Methods>(
  methods: T,
  name: keyof T & string,
  when: 'before' | 'after',
  state = { died: false },
): T {
  const wrapped = Object.entries(methods).map(([key, method]) => [
    key,
    async (...parameters: unknown[]) => {
      if (state.died) throw new Died();
      if (key !== name) return method(...parameters);
      if (when === 'after') await method(...parameters);
      state.died = true;
      throw new Died();
    },
  ]);
  return Object.fromEntries(wrapped);
}
