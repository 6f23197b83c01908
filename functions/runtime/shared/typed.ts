/** The middlewares made these values by the route's own schemas and credential, which the operation's types come from. */
export function typed<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the compiler cannot follow a value through Middy
  return value as T;
}
