import * as v from 'valibot';

/** `unknown`: the check failed to run. */
export type Status = 'ok' | 'missing' | 'unknown';

export interface Finding {
  readonly status: Status;
  readonly detail: string;
}

export interface Result extends Finding {
  readonly name: string;
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const missing = (detail: string): Finding => ({ status: 'missing', detail });
/** Exit status of the command: 0 if nothing is missing or unknown. */
export const exitStatusOf = (results: readonly Result[]): 0 | 1 =>
  results.every(({ status }) => status === 'ok') ? 0 : 1;

const unknown = (detail: string): Finding => ({ status: 'unknown', detail });

/**
 * Runs a check. A failed call is reported as `unknown` with its error and does not stop the other checks. An
 * unresolvable host name is `missing`: AWS does not offer the service in the region.
 */
export async function run(name: string, check: () => Promise<Finding>): Promise<Result> {
  return { name, ...(await check().catch((error: unknown) => unavailable(error) ?? unknown(reasonOf(error)))) };
}

function unavailable(error: unknown): Finding | undefined {
  if (!v.is(Unresolved, error)) return undefined;
  return missing(
    `${error.hostname} does not exist: the region does not have this service, or there is no connection. Choose another region.`,
  );
}

/** Error of a failed DNS lookup (Node.js "dns.lookup"). */
const Unresolved = v.object({ code: v.literal('ENOTFOUND'), hostname: v.string() });

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message } = error;
  if (name === 'CredentialsProviderError') return 'not checked without credentials';
  const remedy = /denied|unauthorized/i.test(name)
    ? ' Allow the action to your credentials, or check it in the console.'
    : '';
  return `${name}: ${message}${remedy}`;
}

export const isNamed = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name);
