import * as v from 'valibot';

/** `unknown`: the check could not be made. */
export type Status = 'ok' | 'missing' | 'unknown';

/** Outcome of a check: what was found, or what is missing and what to do. */
export interface Finding {
  readonly status: Status;
  readonly detail: string;
}

/** A finding under the name of its check. */
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

/** Error of a DNS look-up (Node.js "dns.lookup"). */
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

/** Whether an error of an SDK client has this name, or one of these. */
export const isNamed = (error: unknown, ...names: readonly string[]): boolean =>
  error instanceof Error && names.includes(error.name);
