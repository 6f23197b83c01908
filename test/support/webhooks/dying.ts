/** Simulates the crash of the process. */
export class Died extends Error {}

type Methods = Readonly<Record<string, (...parameters: any[]) => any>>;

/**
 * The same methods, but the named one crashes before or after its effect. All later calls crash too, because a
 * crashed process does nothing.
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
