import { hash, meaningfulWords } from '../../sagemaker/words.ts';
import type { ChatBody, Tool } from '../request.ts';
import { type Mentions, mentionsOf, resolveSchema, type Schema } from './schemas.ts';

/** `arguments` is JSON that satisfies the tool's schema. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * Chooses the forced tool, or the tools that the last user message mentions. An empty list means a text reply, for
 * example after a tool's result. `unknown`: the forced tool does not exist.
 */
export function chooseTools(body: ChatBody): readonly CalledTool[] | 'unknown' {
  const { messages, tools, tool_choice: choice, parallel_tool_calls: several } = body;
  if (choice === 'none') return [];
  const request = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  if (typeof choice === 'object') {
    const forced = tools.find(({ name }) => name === choice.function.name);
    return forced ? [call(forced, request)] : 'unknown';
  }
  const [best, ...further] = matchingTools(tools, request);
  if (choice === 'required') {
    const first = best ?? tools[0];
    return first ? calls([first, ...(several ? further : [])], request) : 'unknown';
  }
  const hasResult = messages.at(-1)?.role === 'tool' || messages.at(-1)?.role === 'function';
  return best && !hasResult ? calls([best, ...(several ? further : [])], request) : [];
}

function calls(tools: readonly Tool[], request: string): CalledTool[] {
  if (tools.length === 1) return tools.map((tool) => call(tool, request));
  const clauses = request.split(/[.,;?!]\s|\b(?:and|then)\b/i);
  return tools.map((tool) => {
    const own = clauses.filter((clause) => !nameStems(tool).isDisjointFrom(stems(clause)));
    return call(tool, own.length > 0 ? own.join(' ') : request);
  });
}

function call(tool: Tool, request: string): CalledTool {
  const text = JSON.stringify(fillSchema(tool.parameters ?? { type: 'object' }, request));
  return {
    id: `call_${hash(tool.name + request + text)
      .toString(16)
      .padStart(8, '0')}`,
    name: tool.name,
    arguments: text,
  };
}

function matchingTools(tools: readonly Tool[], request: string): Tool[] {
  const best = bestFit(tools, request);
  if (!best) return [];
  const matching = [best];
  let unclaimed = stems(request).difference(nameStems(best));
  for (const tool of tools) {
    const name = nameStems(tool);
    if (tool === best || name.isDisjointFrom(unclaimed)) continue;
    matching.push(tool);
    unclaimed = unclaimed.difference(name);
  }
  return matching;
}

function bestFit(tools: readonly Tool[], request: string): Tool | undefined {
  const requested = stems(request);
  const scored = tools.map((tool) => {
    const shared = (text: string) => stems(text).intersection(requested).size;
    const properties = propertyNames(tool.parameters).join(' ');
    return {
      tool,
      score: 3 * shared(spaced(tool.name)) + 2 * shared(spaced(properties)) + shared(tool.description ?? ''),
    };
  });
  const best = scored.reduce<(typeof scored)[number] | undefined>(
    (leader, next) => (next.score > (leader?.score ?? 0) ? next : leader),
    undefined,
  );
  return best?.tool;
}

const nameStems = ({ name }: Tool): Set<string> => stems(spaced(name));

function propertyNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null || !('properties' in schema)) return [];
  return typeof schema.properties === 'object' && schema.properties !== null ? Object.keys(schema.properties) : [];
}

/** Splits `getWeather_byCity` into words. */
function spaced(name: string): string {
  return name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_.-]/gu, ' ');
}

function stems(text: string): Set<string> {
  return new Set(meaningfulWords(text).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)));
}

interface FillState {
  readonly root: unknown;
  readonly mentions: Mentions;
  budget: number;
}

const deepest = 12;
const itemLimit = 200;

/** A value that satisfies a JSON Schema, from the words of the request if possible. */
export function fillSchema(schema: unknown, request: string): unknown {
  return fill(schema, { root: schema, mentions: mentionsOf(request), budget: 2000 }, { name: '', depth: 0, turn: 0 });
}

interface Place {
  readonly name: string;
  readonly depth: number;
  readonly turn: number;
}

function fill(node: unknown, filling: FillState, place: Place): unknown {
  filling.budget -= 1;
  const schema = resolveSchema(node, filling.root);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return fillEnum(schema.enum, schema, filling.mentions, place.turn);
  if (schema.default !== undefined) return schema.default;
  if (filling.budget < 0) return null;
  switch (kindOf(schema)) {
    case 'object':
      return fillObject(schema, filling, place);
    case 'array':
      return fillArray(schema, filling, place);
    case 'integer':
    case 'number':
      return fillNumber(schema, filling.mentions, place);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return fillString(schema, filling.mentions, place);
  }
}

function kindOf(schema: Schema): string {
  const named = [schema.type].flat().filter((type) => type !== undefined);
  if (named.length > 0) return named.find((type) => type !== 'null') ?? 'null';
  if (schema.properties || schema.required) return 'object';
  if (schema.items !== undefined || schema.prefixItems) return 'array';
  return schema.minimum !== undefined || schema.maximum !== undefined ? 'number' : 'string';
}

/** A value that the request names, else the default, else the first. Array items use successive values. */
function fillEnum(values: readonly unknown[], schema: Schema, mentions: Mentions, turn: number): unknown {
  const named = values.filter((value) => mentions.includes(String(value)));
  const usual = values.filter((value) => value === schema.default);
  return [...new Set([...named, ...usual, ...values])][turn] ?? values[0] ?? null;
}

function fillObject(schema: Schema, filling: FillState, { depth }: Place): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const all = required.length === 0 && depth < 4;
  const optional = (name: string) => depth < deepest && (all || isMentioned(properties[name], filling));
  const declared = Object.keys(properties).filter((name) => required.includes(name) || optional(name));
  const undeclared = required.filter((name) => !Object.hasOwn(properties, name));
  const schemas = [
    ...declared.map((name) => [name, properties[name]] as const),
    ...undeclared.map((name) => [name, additionalProperties] as const),
  ];
  if (depth > 2 * deepest) return {};
  return Object.fromEntries(
    schemas.map(([name, node]) => [name, fill(node, filling, { name, depth: depth + 1, turn: 0 })]),
  );
}

function isMentioned(node: unknown, { root, mentions }: FillState): boolean {
  const schema = resolveSchema(node, root);
  if (schema.enum) return schema.enum.some((value) => mentions.includes(String(value)));
  const kind = kindOf(schema);
  return (kind === 'integer' || kind === 'number') && mentions.hasNumber((value) => fitsNumber(value, schema));
}

function fillArray(schema: Schema, filling: FillState, { name, depth }: Place): unknown[] {
  const { minItems = 0, maxItems = itemLimit, prefixItems = [], items } = schema;
  const min = Math.max(minItems, prefixItems.length, depth < deepest ? 1 : 0);
  const wanted = Math.max(min, items === undefined ? 0 : namedItems(items, filling));
  const count = Math.min(wanted, maxItems, itemLimit);
  return Array.from({ length: count }, (_, turn) =>
    fill(prefixItems[turn] ?? items, filling, {
      name,
      depth: depth + 1,
      turn: turn - Math.min(turn, prefixItems.length),
    }),
  );
}

function namedItems(items: unknown, { root, mentions }: FillState): number {
  const schema = resolveSchema(items, root);
  if (schema.enum) return schema.enum.filter((value) => mentions.includes(String(value))).length;
  const kind = kindOf(schema);
  if (kind === 'string') return schema.format ? 0 : mentions.namesLeft();
  return kind === 'integer' || kind === 'number' ? mentions.numbersLeft((value) => fitsNumber(value, schema)) : 0;
}

/** Names of properties that are filled with the whole request instead of a word. */
const wholeText = /quer|text|message|prompt|question|content|descri|body|sentence|comment|note|reason/i;

const maxPoints = 4000;

function fillString(schema: Schema, mentions: Mentions, { name, turn }: Omit<Place, 'depth'>): string {
  const formatted = schema.format === undefined ? undefined : formats.get(schema.format);
  if (formatted) return formatted(mentions);
  const given = turn === 0 ? mentions.textOf(name) : undefined;
  if (given) return fitLength(given, schema);
  const again = turn > 0 && mentions.namesLeft() === 0 ? ` ${turn + 1}` : '';
  const mentioned = wholeText.test(name) ? mentions.text.trim().slice(0, 200) : mentions.takeName();
  return fitLength((mentioned || 'example') + again, schema);
}

function fitLength(text: string, { minLength = 0, maxLength = maxPoints }: Schema): string {
  const points = Array.from(text).slice(0, Math.min(maxLength, maxPoints));
  const missing = Math.min(minLength, maxPoints) - points.length;
  if (missing <= 0) return points.join('');
  const filler = ' and more'.repeat(Math.ceil(missing / 9));
  return points.join('') + filler.slice(0, missing);
}

const dayPattern = /\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])\b/;

const formats: ReadonlyMap<string, (mentions: Mentions) => string> = new Map([
  ['date', (mentions: Mentions) => mentions.find(dayPattern) ?? '2026-01-01'],
  ['date-time', (mentions: Mentions) => `${mentions.find(dayPattern) ?? '2026-01-01'}T12:00:00Z`],
  ['time', (mentions: Mentions) => `${mentions.find(/\b(?:[01]\d|2[0-3]):[0-5]\d\b/) ?? '12:00'}:00Z`],
  [
    'email',
    (mentions: Mentions) =>
      mentions.find(/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+\b/) ?? 'person@example.com',
  ],
  ['uri', (mentions: Mentions) => mentions.find(/\bhttps?:\/\/[\w./?=&%#:~-]+[\w/]/) ?? 'https://example.com/'],
  ['url', (mentions: Mentions) => mentions.find(/\bhttps?:\/\/[\w./?=&%#:~-]+[\w/]/) ?? 'https://example.com/'],
  ['uuid', () => '00000000-0000-4000-8000-000000000000'],
  ['hostname', () => 'example.com'],
  ['ipv4', () => '192.0.2.1'],
  ['ipv6', () => '2001:db8::1'],
]);

function fillNumber(schema: Schema, mentions: Mentions, { name, turn }: Omit<Place, 'depth'>): number {
  const fits = (value: number) => fitsNumber(value, schema);
  const given = turn === 0 ? mentions.numberOf(name, fits) : undefined;
  return given ?? mentions.takeNumber(fits) ?? candidates(schema, turn).find(fits) ?? schema.minimum ?? 0;
}

function fitsNumber(value: number, schema: Schema): boolean {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema;
  const within = value >= minimum && value <= maximum && value > exclusiveMinimum && value < exclusiveMaximum;
  const whole = !isInteger(schema) || Number.isInteger(value);
  return within && whole && isMultiple(value, schema.multipleOf);
}

function isInteger(schema: Schema): boolean {
  return [schema.type].flat().includes('integer');
}

function isMultiple(value: number, step: number | undefined): boolean {
  return step === undefined || step <= 0 || Number.isInteger(value / step);
}

function candidates(schema: Schema, turn: number): number[] {
  const { multipleOf: step } = schema;
  const lower = Math.max(schema.minimum ?? -Infinity, schema.exclusiveMinimum ?? -Infinity);
  const upper = Math.min(schema.maximum ?? Infinity, schema.exclusiveMaximum ?? Infinity);
  const steps =
    step && step > 0
      ? [Math.ceil(lower / step) * step, (Math.floor(lower / step) + 1) * step, Math.floor(upper / step) * step, step]
      : [];
  const first = Number.isFinite(lower) ? lower : Number.isFinite(upper) ? upper - turn - 1 : 1;
  const near = [
    turn + 1,
    Math.ceil(first) + turn,
    lower,
    lower + 1,
    Math.floor(lower) + 1,
    upper,
    upper - 1,
    Math.ceil(upper) - 1,
    Math.floor(upper),
  ];
  return [...steps.map((value) => value + turn * (step ?? 0)), ...steps, ...near, (lower + upper) / 2, 0].filter(
    Number.isFinite,
  );
}
