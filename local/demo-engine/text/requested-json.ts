import { parseJson } from '#contract/shared/json.ts';
import { fillSchema } from '../functions/arguments.ts';
import type { ChatBody } from '../request.ts';

type Message = ChatBody['messages'][number];

/** Maximum characters of a text to search. */
const maxText = 65_536;
const maxObjects = 32;

/**
 * The JSON that the words of a conversation request, as clients without `json_schema` do: by a schema, an example or
 * the names of fields. Undefined if they request none.
 */
export function requestedJson(messages: readonly Message[]): unknown {
  const users = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  const request = withoutObjects(users.at(-1) ?? '');
  for (const { content } of messages.toReversed()) {
    const objects = objectsIn(content);
    const schema = objects.findLast(isSchema);
    if (schema) return fillSchema(schema, request);
    const example = objects.findLast((object) => Object.keys(object).length > 0);
    if (example) return fillSchema(schemaOf(example), request);
    const names = fieldNames(content);
    if (names.length > 0) return fillSchema(objectOf(names.map((name) => [name, { type: 'string' }])), request);
  }
  return undefined;
}

/** Does the same for conversations without `response_format`. Returns a fenced block if a message requests one. */
export function jsonText(messages: readonly Message[]): string | undefined {
  const words = messages.map(({ content }) => content.slice(0, maxText)).join('\n');
  if (!/\b(?:return|respond|reply|answer|output|formatted)\b[^.]{0,80}\bjson\b/i.test(words)) return undefined;
  if (!messages.some(({ content }) => objectsIn(content).some(isSchema))) return undefined;
  const text = JSON.stringify(requestedJson(messages));
  return words.includes('```json') ? `\`\`\`json\n${text}\n\`\`\`` : text;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSchema = (value: Record<string, unknown>): boolean =>
  isRecord(value['properties']) || (typeof value['$ref'] === 'string' && isRecord(value['$defs']));

const objectOf = (properties: readonly (readonly [string, unknown])[]) => ({
  type: 'object',
  properties: Object.fromEntries(properties),
  required: properties.map(([name]) => name),
});

/** The schema of values like an example's. */
function schemaOf(value: unknown): object {
  if (Array.isArray(value)) return { type: 'array', items: schemaOf(value[0] ?? '') };
  if (isRecord(value)) return objectOf(Object.entries(value).map(([name, inner]) => [name, schemaOf(inner)] as const));
  return { type: typeof value === 'number' || typeof value === 'boolean' ? typeof value : 'string' };
}

const name = /["'`]?\w{1,64}["'`]?/.source;
const quotedName = /["'`]\w{1,64}["'`]/.source;
const fieldWord = /\b(?:keys?|fields?|properties)\b/.source;

/** Names next to a word such as "keys": `with keys setup and punchline`, or with quotes before it. */
function fieldNames(text: string): string[] {
  const listOf = (one: string) => `((?:${one}(?:,? and |, ?)){0,32}${one})`;
  const after = new RegExp(`${fieldWord}:?\\s+${listOf(name)}`, 'i');
  const before = new RegExp(`${listOf(quotedName)}\\s+${fieldWord}`, 'i');
  const [, list = ''] = before.exec(text.slice(0, maxText)) ?? after.exec(text.slice(0, maxText)) ?? [];
  return (list.match(/\w+/g) ?? []).filter((word) => word !== 'and');
}

interface Place {
  readonly from: number;
  readonly to: number;
}

function objectsIn(text: string): Record<string, unknown>[] {
  return places(text.slice(0, maxText)).flatMap(({ from, to }) => {
    const value = parseJson(text.slice(from, to));
    return isRecord(value) ? [value] : [];
  });
}

function withoutObjects(text: string): string {
  return places(text.slice(0, maxText)).reduceRight(
    (left, { from, to }) => `${left.slice(0, from)} ${left.slice(to)}`,
    text,
  );
}

/** Outermost pairs of braces outside of strings. */
function places(text: string): Place[] {
  const found: Place[] = [];
  let [depth, from, inString] = [0, 0, false];
  for (let at = 0; at < text.length && found.length < maxObjects; at += 1) {
    const mark = text[at];
    if (mark === '"' && depth > 0) inString = !inString;
    else if (mark === '\\' && inString) at += 1;
    else if (inString) continue;
    else if (mark === '{') {
      if (depth === 0) from = at;
      depth += 1;
    } else if (mark === '}' && depth > 0) {
      depth -= 1;
      if (depth === 0) found.push({ from, to: at + 1 });
    }
  }
  return found;
}
