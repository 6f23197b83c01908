import * as v from 'valibot';
import type { ResponseObject, DeletedResponse, InputItemList } from '#contract/inference/response-items.ts';
import type { InputItemsQuery } from '#contract/inference/responses.ts';
import { limits } from '#contract/shared/limits.ts';
import { dayMs } from '#contract/shared/time.ts';
import type { OpenCall, Hold } from '../meter/meter.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { cancelledResponse } from './responses-format.ts';
import { type Item, type ItemReference, responseOfItem } from './responses.ts';

/** Milliseconds that a response is stored. */
export const responseRetentionMs = 30 * dayMs;

/** A response with the items of its request. */
export interface StoredResponse {
  readonly accountId: number;
  readonly response: ResponseObject;
  readonly input: readonly Item[];
  /** Ids of the earlier responses of the conversation, newest first. */
  readonly chain: readonly string[];
  /** Epoch ms. */
  readonly expiresAt: number;
}

export interface ResponseStore {
  /** Throws if the response is too large. */
  put(stored: StoredResponse): Promise<void>;
  find(accountId: number, id: string, now: number): Promise<StoredResponse | undefined>;
  /** Returns the existing responses in the order of the ids. */
  findAll(accountId: number, ids: readonly string[], now: number): Promise<StoredResponse[]>;
  /** Returns false if the response does not exist. */
  remove(accountId: number, id: string, now: number): Promise<boolean>;
}

/**
 * Responses per read, which are in memory together, and JSON bytes of a conversation's history. The context of no model
 * contains more.
 */
const perRead = 10;
const maxHistoryBytes = 8 * 1024 * 1024;

export interface History {
  readonly items: readonly Item[];
  /** The `chain` of the next response. */
  readonly chain: readonly string[];
}

export const noHistory: History = { items: [], chain: [] };

export interface HistoryQuery {
  readonly accountId: number;
  readonly previousId: string;
  /** Whether to omit the oldest responses of a conversation that is too long. */
  readonly mayDrop: boolean;
  readonly now: number;
}

/**
 * Reads the conversation that ends with a response, oldest item first. Throws 404 if one of its responses is missing.
 */
export async function historyOf(store: ResponseStore, query: HistoryQuery): Promise<History> {
  const { accountId, previousId, mayDrop, now } = query;
  const last = await store.find(accountId, previousId, now);
  if (!last) throw unknownPrevious(previousId);
  if (last.chain.length >= limits.responseChain && !mayDrop) throw tooLong();
  const parts = [itemsOf(last)];
  let bytes = sizeOf(parts[0]);
  for (let start = 0; start < last.chain.length && bytes <= maxHistoryBytes; start += perRead) {
    const ids = last.chain.slice(start, start + perRead);
    const found = new Map((await store.findAll(accountId, ids, now)).map((one) => [one.response.id, one]));
    for (const id of ids) {
      const one = found.get(id);
      if (!one) throw unknownPrevious(id);
      parts.push(itemsOf(one));
      bytes += sizeOf(parts.at(-1));
    }
  }
  if (bytes > maxHistoryBytes && !mayDrop) throw tooLong();
  return {
    items: parts.toReversed().flat(),
    chain: [previousId, ...last.chain].slice(0, limits.responseChain),
  };
}

const itemsOf = ({ input, response }: StoredResponse): Item[] => [...input, ...response.output];

const sizeOf = (content: unknown): number => Buffer.byteLength(JSON.stringify(content));

/** Replaces references by the items of stored responses. Throws 404 if one is missing. */
export async function resolved(
  store: () => Promise<ResponseStore>,
  accountId: number,
  items: readonly (Item | ItemReference)[],
  now: number,
): Promise<readonly Item[]> {
  const references = items.filter((item) => item.type === 'item_reference');
  if (references.length === 0) return items.filter((item) => item.type !== 'item_reference');
  const ids = [...new Set(references.map(({ id }) => responseOfItem(id) ?? throwUnknownItem(id)))];
  if (ids.length > limits.responseChain) throw tooManyReferences();
  const wanted = new Set(references.map(({ id }) => id));
  const found = new Map<string, Item>();
  const sizes = new Map<string, number>();
  for (let start = 0; start < ids.length; start += perRead) {
    const stored = await (await store()).findAll(accountId, ids.slice(start, start + perRead), now);
    for (const item of stored.flatMap(itemsOf).filter(({ id }) => wanted.has(id))) {
      found.set(item.id, item);
      sizes.set(item.id, sizeOf(item));
    }
    // Several references to one item repeat it.
    const bytes = references.reduce((sum, { id }) => sum + (sizes.get(id) ?? 0), 0);
    if (bytes > maxHistoryBytes) throw tooManyReferences();
  }
  return items.map((item) =>
    item.type === 'item_reference' ? (found.get(item.id) ?? throwUnknownItem(item.id)) : item,
  );
}

const previousField = { field: { path: 'previous_response_id', isMissing: false } };
const inputField = { field: { path: 'input', isMissing: false } };

const unknownPrevious = (id: string) =>
  new ServiceError(
    'NOT_FOUND',
    `Previous response with id ${id} not found: it was not stored, was deleted, or has expired.`,
    previousField,
  );

const tooLong = () =>
  new ServiceError(
    'INVALID_FORMAT',
    `previous_response_id continues a conversation that is too long; a conversation may have at most ${limits.responseChain} responses. Send truncation auto, or the newest items in input.`,
    previousField,
  );

const tooManyReferences = () =>
  new ServiceError(
    'INVALID_FORMAT',
    `input refers to items of more than ${limits.responseChain} responses, or of more than ${maxHistoryBytes} bytes. Send fewer items.`,
    inputField,
  );

function throwUnknownItem(id: string): never {
  throw new ServiceError(
    'NOT_FOUND',
    `Item with id ${id} not found: its response was not stored, was deleted, or has expired.`,
    inputField,
  );
}

const unknownResponse = (id: string) =>
  new ServiceError('NOT_FOUND', `Response with id ${id} not found.`, {
    field: { path: 'response_id', isMissing: false },
  });

export interface StoredResponseParts {
  readonly store: Pick<ResponseStore, 'find' | 'remove'>;
  readonly cancel: (accountId: number, requestId: string) => Promise<{ readonly status: 'cancelled' | 'finished' }>;
  readonly findHold: (call: OpenCall) => Promise<Hold | undefined>;
  readonly clock: Clock;
}

/** Every method throws 404 if the account has stored no response with the id. */
export function storedResponseService({ store, cancel: cancelRequest, findHold, clock }: StoredResponseParts) {
  async function stored(accountId: number, id: string): Promise<StoredResponse> {
    const found = await store.find(accountId, id, clock.now());
    if (!found) throw unknownResponse(id);
    return found;
  }

  async function remove(accountId: number, id: string): Promise<v.InferInput<typeof DeletedResponse>> {
    if (!(await store.remove(accountId, id, clock.now()))) throw unknownResponse(id);
    return { id, object: 'response', deleted: true };
  }

  async function inputItems(
    accountId: number,
    id: string,
    { after, limit, order }: v.InferOutput<typeof InputItemsQuery>,
  ): Promise<v.InferInput<typeof InputItemList>> {
    const { input } = await stored(accountId, id);
    const all = order === 'asc' ? input : input.toReversed();
    const start = after === undefined ? 0 : all.findIndex((item) => item.id === after) + 1;
    if (start === 0 && after !== undefined) throw unknownAfter(after);
    const data = all.slice(start, start + limit);
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: start + limit < all.length,
    };
  }

  /** Cancels a running stream. Throws 400 for a response that has ended. */
  async function cancel(accountId: number, id: string): Promise<ResponseObject> {
    const requestId = /^resp_([0-9A-Za-z]+)$/.exec(id)?.[1];
    if (requestId === undefined) throw unknownResponse(id);
    const hold = await findHold({ accountId, requestId });
    if (!hold && (await store.find(accountId, id, clock.now()))) throw hasEnded(id);
    const { status } = await cancelRequest(accountId, requestId).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'NOT_FOUND') throw unknownResponse(id);
      throw error;
    });
    if (status === 'finished') throw hasEnded(id);
    return cancelledResponse({
      id: `chatcmpl-${requestId}`,
      created: Math.floor(clock.now() / 1000),
      model: hold?.model ?? '',
    });
  }

  return {
    get: async (accountId: number, id: string) => (await stored(accountId, id)).response,
    remove,
    inputItems,
    cancel,
  };
}

const unknownAfter = (after: string) =>
  new ServiceError('INVALID_FORMAT', `after must be the id of an item in this list; ${after} is not in it.`, {
    field: { path: 'after', isMissing: false },
  });

const hasEnded = (id: string) =>
  new ServiceError('INVALID_FORMAT', `Response ${id} has ended; only a running stream can be cancelled.`, {
    field: { path: 'response_id', isMissing: false },
  });
