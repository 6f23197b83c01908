import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { services } from '#runtime/services/container.ts';
import type { Person, TestService } from '../service/service.ts';
import type { Resolve, Schema } from './json-schema.ts';
import { type Operation, type Parameter, resolve, shownBodies } from './openapi.ts';
import type { RawResponse } from './response-check.ts';

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const wellFormed = fc.string({ unit: 'grapheme', maxLength: 40 });

/** Mostly small values that a schema accepts. */
function arbitraryOf(schema: Schema, resolve: Resolve): fc.Arbitrary<unknown> {
  const rule = resolve(schema);
  const next = (inner: Schema): fc.Arbitrary<unknown> => arbitraryOf(inner, resolve);
  if ('const' in rule) return fc.constant(rule.const);
  if (rule.enum) return fc.constantFrom(...rule.enum);
  const alternatives = rule.anyOf ?? rule.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map(next));
  if (rule.allOf) return next(rule.allOf.at(-1)!);
  if (rule.type === undefined) return fc.jsonValue({ maxDepth: 2 });
  if (rule.type === 'string') return strings(rule);
  if (rule.type === 'boolean') return fc.boolean();
  if (rule.type === 'null') return fc.constant(null);
  if (rule.type === 'integer') return fc.integer({ min: rule.minimum ?? 0, max: Math.min(rule.maximum ?? 300, 300) });
  if (rule.type === 'number') return numbers(rule);
  if (rule.type === 'array') return lists(rule, next);
  if (rule.type === 'object' && !rule.properties) return fc.dictionary(word, fc.jsonValue({ maxDepth: 2 }));
  if (rule.type !== 'object') throw new Error(`no values for ${JSON.stringify(rule)}`);
  const fields = Object.entries(rule.properties ?? {}).map(([name, inner]) => [name, next(inner)] as const);
  const model: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(fields);
  return fc.record(model, { requiredKeys: [...(rule.required ?? [])], noNullPrototype: true });
}

function numbers({ minimum = -1e9, maximum = 1e9 }: Schema): fc.Arbitrary<number> {
  return fc.double({ min: minimum, max: maximum, noNaN: true });
}

function lists(
  { items, prefixItems, minItems = 0, maxItems = 4, uniqueItems }: Schema,
  next: (schema: Schema) => fc.Arbitrary<unknown>,
) {
  if (prefixItems) return fc.tuple(...prefixItems.map(next));
  const bounds = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 4) };
  return uniqueItems ? fc.uniqueArray(next(items as Schema), bounds) : fc.array(next(items as Schema), bounds);
}

function strings({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'idn-email') return fc.tuple(word, word).map(([name, host]) => `${name}@${host}.example`);
  if (format === 'date')
    return fc.date({ min: day(0), max: day(60), noInvalidDate: true }).map((at) => at.toISOString().slice(0, 10));
  if (format === 'date-time')
    return fc.date({ min: day(60), max: day(900), noInvalidDate: true }).map((at) => at.toISOString());
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
  return wellFormed
    .map((text) => (Array.from(text).length < minLength ? `${text}${'a'.repeat(minLength)}` : text))
    .filter((text) => Array.from(text).length <= maxLength);
}

const today = Date.now();
const day = (count: number): Date => new Date(today + count * 86_400_000);

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    -0.5,
    1.5,
    2 ** 53 + 2,
    -(2 ** 60),
    1e308,
    '',
    ' ',
    '0',
    'null',
    'true',
  ),
  fc.constantFrom<unknown>([], {}, [[]], [null], { length: 1 }, { toString: 'x' }, { constructor: { prototype: 1 } }),
  fc.constantFrom(
    '\u0000',
    '\uFEFF',
    '\uD800',
    '\u200B',
    '😀'.repeat(50),
    'a'.repeat(100_000),
    '../../etc/passwd',
    '{{7*7}}',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Values in which one part, at any depth, is missing or replaced by something odd. */
export function bent(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat(), odd, fc.boolean()).map(([value, pick, replacement, removes]) => {
    const copy = structuredClone(value);
    const places = placesIn(copy);
    const place = places[pick % places.length];
    if (!place) return replacement;
    const { holder, key } = place;
    if (removes && !Array.isArray(holder)) delete holder[key];
    else holder[key] = replacement;
    return copy;
  });
}

interface Place {
  readonly holder: any;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}

/** A request of the fuzzer. Headers are alternating names and values, as on the wire. */
export interface Shot {
  readonly method: string;
  readonly path: string;
  readonly headers?: readonly string[];
  readonly body?: string | Uint8Array;
}

export const json = ['content-type', 'application/json'];

/** Sends fuzzed requests to a running service, as an authorized user. */
export async function fuzzTarget(service: TestService) {
  const agent = new Agent({ keepAlive: true });
  const [customer, operator, victim] = [
    await service.person({ planRank: 5 }),
    await service.person(),
    await service.person(),
  ];
  await (await services().operators()).actions().setRole(operator.email, 'operator');
  const people = new Map<string, Person>();

  /** The caller of an operation. Each operation with a session has its own, because some change the session. */
  async function personFor({ operationId, path, security }: Operation): Promise<Person> {
    if (path.startsWith('/api/operator/')) return operator;
    if (security.some((scheme) => 'apiKey' in scheme)) return customer;
    const person = people.get(operationId) ?? (await service.person());
    people.set(operationId, person);
    return person;
  }

  async function credentialFor(operation: Operation): Promise<string[]> {
    const [scheme] = operation.security;
    if (!scheme) return [];
    const person = await personFor(operation);
    return 'apiKey' in scheme ? ['authorization', `Bearer ${person.key}`] : ['cookie', person.cookie];
  }

  function fire({ method, path, headers = [], body }: Shot): Promise<RawResponse> {
    const { promise, resolve: done, reject } = Promise.withResolvers<RawResponse>();
    const { hostname, port } = new URL(service.origin);
    const host = ['host', `${hostname}:${port}`];
    const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
    const sent = request(
      { agent, hostname, port, method, path, headers: [...host, ...length, ...headers] },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        reply.on('end', () =>
          done({ status: reply.statusCode!, headers: reply.headers, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    sent.on('error', reject).end(body);
    return promise;
  }

  /** Addresses of an operation with documented or existing parameters. */
  function addressOf({ path, parameters }: Operation): fc.Arbitrary<string> {
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const values = (list: readonly Parameter[]) =>
      fc.record(Object.fromEntries(list.map((parameter) => [parameter.name, valueOf(parameter, path)])), {
        requiredKeys: list.filter(({ required }) => required).map(({ name }) => name),
      });
    return fc.tuple(values(inPath), values(inQuery)).map(([filled, query]) => {
      const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(filled[name]!));
      const search = String(new URLSearchParams(query));
      return search ? `${filledPath}?${search}` : filledPath;
    });
  }

  function valueOf({ name, in: place, schema, example }: Parameter, path: string): fc.Arbitrary<string> {
    const real = path.startsWith('/api/operator/')
      ? name === 'id'
        ? String(victim.id)
        : victim.keyId
      : customer.keyId;
    const likely = [...(place === 'path' ? [real] : []), ...(example ? [example] : [])];
    // A segment of dots, or of characters that URLs drop, would change the path.
    const made = (arbitraryOf(schema, resolve) as fc.Arbitrary<string>).filter((text) => /[^.]/.test(text));
    return likely.length > 0 ? fc.oneof(made, fc.constantFrom(...likely)) : made;
  }

  /** Documented bodies, including the examples; undefined for operations without a body. */
  function bodyOf(operation: Operation): fc.Arbitrary<unknown> {
    if (!operation.body) return fc.constant(undefined);
    const shown = shownBodies(operation);
    return fc.oneof(arbitraryOf(operation.body.schema, resolve), fc.constantFrom(...shown));
  }

  /** A complete request with that body, encoded as JSON unless it is text or bytes. */
  async function shotOf(operation: Operation, path: string, body: unknown): Promise<Shot> {
    const headers = await credentialFor(operation);
    if (body === undefined) return { method: operation.method, path, headers };
    const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    return { method: operation.method, path, headers: [...headers, ...json], body: text };
  }

  return { fire, key: customer.key, addressOf, bodyOf, shotOf, close: () => agent.destroy() };
}
