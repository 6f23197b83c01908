import * as v from 'valibot';
import { invalidRequest } from './errors.ts';

/** A decoded form: texts, lists and objects without a prototype. */
export type Form = { [key: string]: FormValue };
export type FormValue = string | FormValue[] | Form;

const maxFields = 1000;
/** Levels of `a[b][c]`. */
const maxDepth = 8;

interface Branch {
  readonly children: Map<string, Branch | string>;
}

/** Decodes Stripe's form encoding: `a[b]=c` are objects, `a[0]=b` and `a[]=b` are lists. */
export function decodeForm(text: string): Form {
  const root: Branch = { children: new Map() };
  const fields = [...new URLSearchParams(text)];
  if (fields.length > maxFields) throw invalidRequest(`The request has more than ${maxFields} parameters.`);
  for (const [name, value] of fields) put(root, name, value);
  const entries = [...root.children].map(([key, child]) => [key, valueOf(child)] as const);
  return objectFrom(entries);
}

function put(root: Branch, name: string, value: string): void {
  const [first = '', ...rest] = name.split('[');
  const keys = [first, ...rest.map((part) => part.replace(/\]$/, ''))];
  if (first === '' || keys.length > maxDepth) throw invalidRequest(`Invalid parameter name: ${name}`);
  let branch = root;
  for (const key of keys.slice(0, -1)) {
    const at = positionOf(branch, key);
    const child = branch.children.get(at);
    const next: Branch = child === undefined || typeof child === 'string' ? { children: new Map() } : child;
    branch.children.set(at, next);
    branch = next;
  }
  branch.children.set(positionOf(branch, keys.at(-1) ?? ''), value);
}

/** `[]` appends to a list. */
const positionOf = ({ children }: Branch, key: string): string => (key === '' ? String(children.size) : key);

function valueOf(child: Branch | string): FormValue {
  if (typeof child === 'string') return child;
  const entries = [...child.children].map(([key, value]) => [key, valueOf(value)] as const);
  const isList = entries.length > 0 && entries.every(([key], index) => key === String(index));
  return isList ? entries.map(([, value]) => value) : objectFrom(entries);
}

/** `Object.fromEntries` also defines keys like `__proto__` as own properties. */
const objectFrom = (entries: readonly (readonly [string, FormValue])[]): Form => Object.fromEntries(entries);

/** Messages that start with an error code and `: `. */
const coded = (code: string, message: string): string => `${code}: ${message}`;

export const text = (maxLength = 5000) =>
  v.pipe(
    v.string('parameter_invalid_string: Invalid string'),
    v.nonEmpty(
      coded(
        'parameter_invalid_empty',
        'You passed an empty string. We assume empty values are an attempt to unset a parameter; however this parameter cannot be unset.',
      ),
    ),
    v.maxLength(maxLength, coded('parameter_invalid_string', `The value must have at most ${maxLength} characters.`)),
  );

/** An empty text unsets the value. */
export const clearable = (maxLength = 5000) =>
  v.pipe(
    v.string('parameter_invalid_string: Invalid string'),
    v.maxLength(maxLength, coded('parameter_invalid_string', `The value must have at most ${maxLength} characters.`)),
    v.transform((value) => (value === '' ? null : value)),
  );

export const integer = v.pipe(
  v.string('parameter_invalid_integer: Invalid integer'),
  v.regex(/^-?\d{1,15}$/, ({ input }) => coded('parameter_invalid_integer', `Invalid integer: ${input}`)),
  v.transform(Number),
);

export const naturalNumber = v.pipe(
  integer,
  v.minValue(
    0,
    coded('parameter_invalid_integer', 'This value must be greater than or equal to 0 (Invalid non-negative integer).'),
  ),
);

export const flag = v.pipe(
  v.string('parameter_invalid_boolean: Invalid boolean'),
  v.regex(/^(true|false)$/, ({ input }) => coded('parameter_invalid_boolean', `Invalid boolean: ${input}`)),
  v.transform((value) => value === 'true'),
);

export const oneOf = <const Options extends readonly string[]>(options: Options) =>
  v.picklist(options, ({ received }) =>
    coded('parameter_unknown_value', `Invalid value ${received}: must be one of ${options.join(', ')}`),
  );

/** Currencies of two decimals are enough; the others would need their own rules of amounts. */
const currencies = ['usd', 'eur', 'gbp', 'chf', 'cad', 'aud', 'sek', 'nok', 'dkk', 'pln', 'czk'];
export const currency = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.check(
    (value) => currencies.includes(value),
    ({ input }) =>
      `invalid_currency: Invalid currency: ${input}. This server supports these currencies: ${currencies.join(', ')}`,
  ),
);

/** Keys with an empty value are removed; an empty text removes all. */
export const metadata = v.union([
  v.pipe(
    v.literal(''),
    v.transform((): null => null),
  ),
  v.pipe(
    v.record(
      v.pipe(v.string(), v.maxLength(40, 'parameter_invalid: Metadata keys have at most 40 characters.')),
      v.pipe(v.string(), v.maxLength(500, 'parameter_invalid: Metadata values have at most 500 characters.')),
    ),
    v.check((values) => Object.keys(values).length <= 50, 'parameter_invalid: Metadata has at most 50 keys.'),
  ),
]);
export type MetadataChange = v.InferOutput<typeof metadata>;

export function changedMetadata(
  old: Readonly<Record<string, string>>,
  change: MetadataChange | undefined,
): Record<string, string> {
  if (change === undefined) return { ...old };
  const entries = Object.entries(change === null ? {} : { ...old, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

export const url = v.pipe(
  text(5000),
  v.check(
    (value) => /^https?:/i.test(value) && URL.canParse(value.replaceAll(/[{}]/g, '')),
    'url_invalid: Not a valid URL',
  ),
);

export const expand = v.optional(v.pipe(v.array(v.string()), v.maxLength(20)), []);

/** A time filter of lists: an instant or bounds. */
export const range = v.union([
  integer,
  v.strictObject({
    gt: v.exactOptional(integer),
    gte: v.exactOptional(integer),
    lt: v.exactOptional(integer),
    lte: v.exactOptional(integer),
  }),
]);

export const page = {
  limit: v.optional(
    v.pipe(
      integer,
      v.minValue(1, 'parameter_invalid_integer: The limit must be from 1 to 100.'),
      v.maxValue(100, 'parameter_invalid_integer: The limit must be from 1 to 100.'),
    ),
    '10',
  ),
  starting_after: v.exactOptional(text()),
  ending_before: v.exactOptional(text()),
  expand,
};

export function isInRange(at: number, bounds: v.InferOutput<typeof range> | undefined): boolean {
  if (bounds === undefined) return true;
  if (typeof bounds === 'number') return at === bounds;
  const { gt = -1, gte = 0, lt = Number.POSITIVE_INFINITY, lte = Number.POSITIVE_INFINITY } = bounds;
  return at > gt && at >= gte && at < lt && at <= lte;
}

/** Throws Stripe's error for the first invalid parameter. */
export function parseParams<Schema extends v.GenericSchema>(schema: Schema, form: Form): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, form, { abortEarly: true });
  if (success) return output;
  throw problemOf(issues[0]);
}

function problemOf(issue: v.BaseIssue<unknown>) {
  const deepest = deepestIssue(issue);
  const path = [...(issue.path ?? []), ...(deepest === issue ? [] : (deepest.path ?? []))];
  const param = paramName(path.map(({ key }) => String(key)));
  if (deepest.type === 'strict_object' && deepest.expected === 'never')
    return invalidRequest(`Received unknown parameter: ${param}`, { code: 'parameter_unknown', param });
  if (deepest.received === 'undefined')
    return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  const [, code, message] = /^([a-z_]+): (.*)$/s.exec(deepest.message) ?? [];
  return invalidRequest(message ?? `Invalid ${param}`, { param, ...(code !== undefined && { code }) });
}

/** The issue of the union member that got furthest. */
function deepestIssue(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  const inner = issue.type === 'union' ? issue.issues?.findLast(({ path }) => path !== undefined) : undefined;
  return inner ? deepestIssue(inner) : issue;
}

const paramName = ([first = '', ...rest]: readonly string[]): string => first + rest.map((key) => `[${key}]`).join('');
