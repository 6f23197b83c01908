import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ResponseRequest } from '#contract/inference/responses.ts';
import { inference } from '#domain/inference/inference.ts';
import type { ModelGateway } from '#domain/inference/order.ts';
import { responsesService } from '#domain/inference/responses-service.ts';
import type { ResponseStore, StoredResponse } from '#domain/inference/stored-responses.ts';
import type { StreamedResponse } from '#domain/inference/streamed-response.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';

const requestId = 'hV3kQ9sTz1LmXw7RbYc';
const clock = { now: () => 1_800_000_000_000 };
const usage = { prompt_tokens: 5, completion_tokens: 2 };
const message = { content: 'Hello', reasoning: undefined, tool_calls: undefined };

const prepared = <T>(send: () => T) => ({ prepare: () => undefined, send });
const gateway = {
  chat: () => prepared(async () => ({ choices: [{ message, finish_reason: 'stop' }], usage })),
  chatStream: () =>
    prepared(() => ({
      cancel: () => undefined,
      chunks: (async function* () {
        yield { choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }], usage };
      })(),
    })),
} as unknown as ModelGateway;

const stored = new Map<string, StoredResponse>();
const onUnstored = vi.fn<(error: unknown) => void>();
beforeEach(() => {
  stored.clear();
  onUnstored.mockReset();
});

/** Counts its reads. */
const memory = {
  reads: 0,
  put: async (one: StoredResponse) => void stored.set(one.response.id, one),
  find: async (accountId: number, id: string) => {
    memory.reads += 1;
    const one = stored.get(id);
    return one?.accountId === accountId ? one : undefined;
  },
  findAll: async (_: number, ids: readonly string[]) => {
    memory.reads += 1;
    return ids.flatMap((id) => stored.get(id) ?? []);
  },
  remove: async () => true,
} satisfies ResponseStore & { reads: number };

function serviceWith(store: ResponseStore) {
  const parts = { store: async () => store, tokenizer: bpeTokenizer, clock, onUnstored };
  return responsesService({ inference: inference(gateway, bpeTokenizer, clock), ...parts });
}

const opening = { accountId: 1, requestId, prove: async () => undefined };
const parsed = (more: object) => v.parse(ResponseRequest, { model: 'svc-1', input: 'Hi', ...more });

async function eventsOf(stream: StreamedResponse): Promise<any[]> {
  const events: unknown[] = [];
  for (let next = await stream.next(); !next.done; next = await stream.next()) events.push(next.value);
  return events;
}

const failing = { ...memory, put: () => Promise.reject(new Error('throttled')) };
const silent = { ...memory, put: () => new Promise<void>(() => undefined) };

describe('a response that cannot be stored', () => {
  it.each([
    ['the store fails', failing, 0],
    ['the store is silent', silent, 2000],
  ])('is returned and charged once, with store: false, if %s', async (_, store, waitMs) => {
    vi.useFakeTimers();
    const service = serviceWith(store);
    const made = service.create(await service.order(parsed({}), opening), requestId);
    await vi.advanceTimersByTimeAsync(waitMs);
    expect(await made).toMatchObject({ body: { status: 'completed', store: false }, cost: 1_000_000, usage });
    expect(onUnstored).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
  });

  it('ends its stream as usual, with store: false', async () => {
    const service = serviceWith(failing);
    const stream = service.stream(await service.order(parsed({ stream: true }), opening), requestId);
    const events = await eventsOf(stream);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { store: false } });
    expect(await stream.cost()).toBe(1_000_000);
  });
});

describe('a stored conversation', () => {
  async function chained(length: number) {
    const service = serviceWith(memory);
    let previous: string | null = null;
    for (let turn = 0; turn < length; turn += 1) {
      const id = requestId.slice(0, -3) + String(turn).padStart(3, '0');
      const order = await service.order(
        parsed({ input: `${turn}`, previous_response_id: previous, truncation: 'auto' }),
        { ...opening, requestId: id },
      );
      previous = (await service.create(order, id)).body.id;
    }
    memory.reads = 0;
    return { service, previous };
  }

  it('is read in one request, plus one for each 10 further responses', async () => {
    const { service, previous } = await chained(60);
    const order = await service.order(parsed({ previous_response_id: previous }), opening);
    expect(memory.reads).toBe(7);
    expect(order.request.messages).toHaveLength(121);
  });

  it('has at most 200 responses, unless the oldest may be dropped', async () => {
    const { service, previous } = await chained(205);
    await expect(service.order(parsed({ previous_response_id: previous }), opening)).rejects.toThrow(
      /at most 200 responses/,
    );
    const order = await service.order(parsed({ previous_response_id: previous, truncation: 'auto' }), opening);
    expect(order.request.messages).toHaveLength(403);
    expect(stored.get(previous!)?.chain).toHaveLength(200);
  });

  it('is not read before the key is verified', async () => {
    const prove = () => Promise.reject(new Error('unknown key'));
    memory.reads = 0;
    const order = serviceWith(memory).order(parsed({ previous_response_id: 'resp_a' }), { ...opening, prove });
    await expect(order).rejects.toThrow('unknown key');
    expect(memory.reads).toBe(0);
  });
});
