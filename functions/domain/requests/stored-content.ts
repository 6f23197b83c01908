import type { InferOutput } from 'valibot';
import type { AuditEvent } from '#contract/operators/operators.ts';
import { type ContentBody, maxContentBytes, type StoredContent } from '#contract/requests/stored-content.ts';
import { isJsonObject } from '#contract/shared/json.ts';
import { dayMs, iso } from '#contract/shared/time.ts';
import type { KeyService } from '../keys/key-service.ts';
import { isReadable, type KeyStore } from '../keys/key.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';

export type Content = InferOutput<typeof StoredContent>;

export interface ContentKey {
  readonly accountId: number;
  readonly keyId: string;
}

export interface ContentPlace extends ContentKey {
  readonly requestId: string;
}

/** Stored prompts and responses. Those past their expiry are not found. */
export interface ContentStore {
  /** `days`: after which the storage deletes it. */
  put(place: ContentPlace, content: Content, days: number, signal: AbortSignal): Promise<void>;
  find(place: ContentPlace): Promise<Content | undefined>;
  /** Returns false if it did not exist. */
  remove(place: ContentPlace): Promise<boolean>;
  /** Deletes those of a key, or of the whole account, until `signal` is aborted. */
  removeAll(of: Pick<ContentKey, 'accountId'> & Partial<ContentKey>, signal?: AbortSignal): Promise<Removal>;
}

export interface Removal {
  readonly deleted: number;
  readonly isDone: boolean;
}

export interface StoredCall {
  readonly requestId: string;
  readonly at: number;
  readonly days: number;
  readonly isStream: boolean;
  readonly request: ContentBody;
  readonly response: ContentBody;
}

export const contentOf = ({ at, days, ...call }: StoredCall): Content => ({
  ...call,
  at: iso(at),
  expiresAt: iso(at + days * dayMs),
});

/** Truncates a text to the stored bytes without splitting a character. */
export function textBody(contentType: string, text: string): ContentBody {
  const all = Buffer.from(text);
  if (all.length <= maxContentBytes) return { contentType, bytes: all.length, text, isTruncated: false };
  let end = maxContentBytes;
  while (isContinuation(all[end])) end -= 1;
  return { contentType, bytes: all.length, text: all.toString('utf8', 0, end), isTruncated: true };
}

/** Describes a body whose bytes are not stored. */
export const describedBody = (contentType: string, bytes: number | null): ContentBody => ({
  contentType,
  bytes,
  text: null,
  isTruncated: false,
});

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Identifies a read: account, member and request. */
export interface Reader {
  readonly accountId: number;
  readonly userId: number;
  readonly requestId: string;
}

interface Parts {
  /** Throws 409 if the stage stores no prompts. */
  readonly store: () => Promise<ContentStore>;
  readonly keys: Pick<KeyStore, 'find'>;
  readonly changes: Pick<KeyService, 'storeContent'>;
  /** Limits the audited reads of a person, so that no member can use up those of another. */
  readonly enforceReadLimit: (userId: number) => Promise<void>;
  readonly record: (event: AuditEvent) => Promise<void>;
  readonly clock: Clock;
}

const deletionMs = 20_000;

export function contentService({ store, keys, changes, enforceReadLimit, record, clock }: Parts) {
  const eventBy = ({ accountId, userId: by, requestId }: Reader) => ({
    accountId,
    by,
    requestId,
    isMember: true as const,
  });

  async function setDays(reader: Reader, keyId: string, days: number | null) {
    if (days !== null) await store();
    return changes.storeContent(reader.accountId, keyId, days, (before, at) => ({
      ...eventBy(reader),
      action: 'store_content',
      reason: 'PUT /api/keys/{id}/content',
      at,
      before: { keyId, contentDays: before },
      after: { keyId, contentDays: days },
    }));
  }

  /** Reading the content of another member's key is audited before it is returned. */
  async function get(reader: Reader, keyId: string, requestId: string): Promise<Content> {
    const { accountId, userId } = reader;
    const content = await (await store()).find({ accountId, keyId, requestId });
    if (!content) throw notStored();
    const key = await keys.find(accountId, keyId);
    // Keys of earlier versions belong to personal organizations and name no creator.
    const creator = key && isReadable(key) ? (key.createdBy ?? accountId) : undefined;
    if (creator !== userId) {
      await enforceReadLimit(userId);
      await record(readEvent(reader, keyId, requestId));
    }
    return content;
  }

  const readEvent = (reader: Reader, keyId: string, contentOf: string): AuditEvent => ({
    ...eventBy(reader),
    action: 'read_content',
    reason: 'GET /api/keys/{id}/content/{requestId}',
    at: clock.now(),
    before: {},
    after: { keyId, contentOf },
  });

  async function remove(place: ContentPlace): Promise<void> {
    if (!(await (await store()).remove(place))) throw notStored();
  }

  const removeAll = async (of: ContentKey): Promise<Removal> =>
    (await store()).removeAll(of, AbortSignal.timeout(deletionMs));

  return { setDays, get, remove, removeAll };
}

const notStored = () =>
  new ServiceError(
    'NOT_FOUND',
    'No prompt and response are stored for this request of the key. They may have expired or been deleted.',
  );

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
