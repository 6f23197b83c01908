import type * as v from 'valibot';
import type { DeletedResponse, InputItemList, ResponseObject } from '#contract/inference/response-items.ts';
import type { InputItemsQuery } from '#contract/inference/responses.ts';
import type { OpenCall } from '../meter/meter-store.ts';
import type { Hold } from '../meter/meter.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError } from '../shared/service-error.ts';
import { cancelledResponse } from './responses-format.ts';
import { type ResponseStore, type StoredResponse, unknownResponse } from './stored-responses.ts';

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
