/** A schema of docs/openapi.json: the subset of JSON Schema 2020-12 that it uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly propertyNames?: Schema;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly contentSchema?: Schema;
  readonly default?: unknown;
}

export type Resolve = (schema: Schema) => Schema;

interface Options {
  readonly resolve: Resolve;
  /** Treats fields that the schema does not name as violations. */
  readonly closed?: boolean;
}

const assertions = new Set(
  `type const enum allOf anyOf oneOf properties required additionalProperties propertyNames items prefixItems minItems maxItems uniqueItems
  minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf`.split(/\s+/),
);
const annotations = new Set(
  'description default title examples contentMediaType contentSchema x-use x-unless'.split(' '),
);

const formats: Readonly<Record<string, RegExp>> = {
  'idn-email': /^[^@\s]+@[^@\s]+$/,
  email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
  uri: /^[a-z]+:\/\/[^\s/]+\S*$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)$/i,
};

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const isType = (value: unknown, type: string): boolean =>
  type === 'integer' ? Number.isSafeInteger(value) : kindOf(value) === type;

/** The violations of a schema by a value. Throws for an unknown keyword, so that nothing is skipped. */
export function violations(schema: Schema, value: unknown, options: Options, path = '$'): string[] {
  const { resolve, closed = false } = options;
  const rule = resolve(schema);
  for (const keyword of Object.keys(rule))
    if (!assertions.has(keyword) && !annotations.has(keyword)) throw new Error(`unknown keyword ${keyword} at ${path}`);
  const inner = (next: Schema, item: unknown, at: string | number): string[] =>
    violations(next, item, options, `${path}.${at}`);
  const here = (next: Schema, how: Options = options): string[] => violations(next, value, how, path);
  const found: string[] = [];
  const must = (holds: boolean, what: string): void => void (holds || found.push(`${path}: ${what}`));

  if (rule.type)
    must(
      [rule.type].flat().some((type) => isType(value, type)),
      `is no ${[rule.type].flat().join(' or ')}`,
    );
  if ('const' in rule)
    must(JSON.stringify(value) === JSON.stringify(rule.const), `is not ${JSON.stringify(rule.const)}`);
  if (rule.enum) must(rule.enum.includes(value), `is none of ${rule.enum.join(', ')}`);
  for (const part of rule.allOf ?? []) found.push(...here(part, { resolve }));
  if (rule.anyOf)
    must(
      rule.anyOf.some((part) => here(part).length === 0),
      'fits no alternative',
    );
  if (rule.oneOf) must(rule.oneOf.filter((part) => here(part).length === 0).length === 1, 'fits not exactly one');
  if (typeof value === 'string') {
    const { length } = Array.from(value);
    must(length >= (rule.minLength ?? 0), `is shorter than ${rule.minLength}`);
    must(length <= (rule.maxLength ?? Infinity), `is longer than ${rule.maxLength}`);
    if (rule.pattern) must(new RegExp(rule.pattern, 'u').test(value), `does not match ${rule.pattern}`);
    if (rule.format) must(formats[rule.format]!.test(value), `is no ${rule.format}`);
  }
  if (typeof value === 'number') {
    must(value >= (rule.minimum ?? -Infinity), `is below ${rule.minimum}`);
    must(value <= (rule.maximum ?? Infinity), `is above ${rule.maximum}`);
    must(value > (rule.exclusiveMinimum ?? -Infinity), `is not above ${rule.exclusiveMinimum}`);
    must(value < (rule.exclusiveMaximum ?? Infinity), `is not below ${rule.exclusiveMaximum}`);
    must(value % (rule.multipleOf ?? value) === 0 || value === 0, `is no multiple of ${rule.multipleOf}`);
  }
  if (Array.isArray(value)) {
    must(value.length >= (rule.minItems ?? 0), `has fewer than ${rule.minItems}`);
    must(value.length <= (rule.maxItems ?? Infinity), `has more than ${rule.maxItems}`);
    const kinds = new Set(value.map((item) => JSON.stringify(item)));
    must(!rule.uniqueItems || kinds.size === value.length, 'has an item twice');
    for (const [index, item] of value.entries()) {
      const next = rule.prefixItems?.[index] ?? rule.items;
      if (next === false) must(false, 'has too many');
      else if (next) found.push(...inner(next, item, index));
    }
  }
  if (kindOf(value) === 'object') {
    const fields = value as Record<string, unknown>;
    for (const name of rule.required ?? []) must(Object.hasOwn(fields, name), `lacks ${name}`);
    for (const [name, item] of Object.entries(fields)) {
      const next = Object.hasOwn(rule.properties ?? {}, name) ? rule.properties?.[name] : undefined;
      if (rule.propertyNames) found.push(...inner(rule.propertyNames, name, name));
      if (next) found.push(...inner(next, item, name));
      else if (rule.additionalProperties) found.push(...inner(rule.additionalProperties, item, name));
      else if (rule.additionalProperties === false || (closed && rule.properties)) must(false, `has ${name} too`);
    }
  }
  return found;
}
