import { isJsonObject } from '#contract/shared/json.ts';

type Json = Readonly<Record<string, unknown>>;
type Draft = Record<string, unknown>;

/**
 * Assembles the events of a stream, also of one that broke off, into an object like the response without streaming.
 * Returns events of other formats unchanged.
 */
export function assembledStream(events: readonly unknown[]): unknown {
  const chunks = events.filter(isJsonObject);
  if (chunks.some(({ choices }) => Array.isArray(choices))) return assembledChoices(chunks);
  if (chunks.some(({ type }) => type === 'message_start')) return assembledMessage(chunks);
  const whole = chunks.findLast(({ type }) => isWhole(type));
  if (whole) return whole['response'] ?? whole;
  const texts = chunks.filter(({ type }) => String(type).endsWith('.delta')).map(({ delta }) => delta);
  return texts.length > 0 ? { text: texts.filter((text) => typeof text === 'string').join('') } : events;
}

/** Final events of the Responses API, and of a transcription. */
const isWhole = (type: unknown): boolean =>
  ['response.completed', 'response.incomplete', 'response.failed', 'transcript.text.done'].includes(String(type));

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

interface Choice {
  readonly fields: Draft;
  readonly message: Draft;
  readonly calls: Map<number, Draft>;
}

/** Chunks of chats and completions. */
function assembledChoices(chunks: readonly Json[]): Json {
  const choices = new Map<number, Choice>();
  const rest: Draft = {};
  for (const { choices: pieces, ...about } of chunks) {
    Object.assign(rest, about);
    for (const { index, delta, text, ...others } of objects(pieces)) {
      const choice = choices.get(Number(index)) ?? { fields: { index }, message: {}, calls: new Map() };
      choices.set(Number(index), choice);
      if (typeof text === 'string') append(choice.fields, 'text', text);
      if (isJsonObject(delta)) addDelta(choice, delta);
      Object.assign(choice.fields, withoutNulls(others));
    }
  }
  return { ...rest, choices: inOrder(choices).map(wholeChoice) };
}

function addDelta({ message, calls }: Choice, { tool_calls: made, ...delta }: Json): void {
  addPieces(message, delta, ['role']);
  for (const { index, ...piece } of objects(made)) addPieces(entryOf(calls, Number(index)), piece, ['id', 'type']);
}

const wholeChoice = ({ fields: { index, ...fields }, message, calls }: Choice): Json => ({
  index,
  ...((Object.keys(message).length > 0 || calls.size > 0) && {
    message: { ...message, ...(calls.size > 0 && { tool_calls: inOrder(calls) }) },
  }),
  ...fields,
});

const withoutNulls = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const inOrder = <Entry>(entries: ReadonlyMap<number, Entry>): Entry[] =>
  [...entries].toSorted(([one], [other]) => one - other).map(([, entry]) => entry);

/** Appends strings, also of inner objects. Fields in `fixed` are replaced. */
function addPieces(draft: Draft, pieces: Json, fixed: readonly string[] = []): void {
  for (const [name, value] of Object.entries(pieces)) {
    if (isJsonObject(value)) addPieces(childOf(draft, name), value, fixed);
    else if (typeof value === 'string' && !fixed.includes(name)) append(draft, name, value);
    else if (value !== null) draft[name] = value;
  }
}

/** Events of Anthropic's Messages API. */
function assembledMessage(events: readonly Json[]): Json {
  let message: Draft = {};
  const blocks = new Map<number, Draft>();
  for (const { type, index, message: begun, content_block: block, delta, usage } of events) {
    if (type === 'message_start' && isJsonObject(begun)) message = { ...begun };
    if (type === 'message_delta')
      Object.assign(message, delta, isJsonObject(usage) && { usage: merged(message, usage) });
    const part = typeof index === 'number' ? entryOf(blocks, index) : {};
    if (isJsonObject(block)) Object.assign(part, block);
    if (type === 'content_block_delta' && isJsonObject(delta)) addBlockDelta(part, delta);
  }
  return { ...message, content: inOrder(blocks) };
}

function addBlockDelta(block: Draft, { partial_json: json, ...delta }: Json): void {
  addPieces(block, { ...delta, type: block['type'] }, ['type']);
  if (typeof json === 'string') block['input'] = `${typeof block['input'] === 'string' ? block['input'] : ''}${json}`;
}

const merged = ({ usage }: Draft, added: Json): Json => ({ ...(isJsonObject(usage) && usage), ...added });

function entryOf(entries: Map<number, Draft>, index: number): Draft {
  const entry = entries.get(index) ?? {};
  entries.set(index, entry);
  return entry;
}

function childOf(draft: Draft, name: string): Draft {
  const found = Object.hasOwn(draft, name) ? draft[name] : undefined;
  if (isJsonObject(found)) return found;
  const created: Draft = {};
  draft[name] = created;
  return created;
}

function append(draft: Draft, name: string, text: string): void {
  const before = draft[name];
  draft[name] = `${typeof before === 'string' ? before : ''}${text}`;
}
