import * as v from 'valibot';
import { vi } from 'vitest';
import type { ModelChatRequest } from '#domain/inference/chat.ts';
import type { ModelCompletionRequest } from '#domain/inference/completion.ts';
import type { ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import type { ModelGateway, Order } from '#domain/inference/order.ts';
import type { Call } from '#middleware/call.ts';

/** A model's next answer. A call without a stream joins the pieces. `usage` is not validated. */
export interface Answer {
  readonly pieces: readonly string[];
  readonly usage: unknown;
  /** Usage in each piece of a completion's stream. */
  readonly running?: readonly unknown[];
  /** Pieces after which the model fails. */
  readonly failsAfter?: number | undefined;
}

type ModelRequest = ModelChatRequest | ModelCompletionRequest | ModelEmbeddingsRequest;

export interface ScriptedModel {
  answer: Answer;
  request: ModelRequest | undefined;
}

let accounts = 500_000;

export type PricedService = Awaited<ReturnType<typeof pricedService>>;

/**
 * Reloads all modules with an offer, because they read it only once. Runs operations of `/v1` with the middleware that
 * holds and charges, on an account with a ledger.
 */
export async function pricedService(offer: unknown, databaseUrl: string, at: number) {
  vi.resetModules();
  process.env['OFFER'] = JSON.stringify(offer);
  const [ledger, api, { inferenceRoutes }, inferring, metered, calls, events, formats, errors, grants] =
    await Promise.all([
      import('./ledger-account.ts'),
      import('#api/inference.ts'),
      import('#contract/routes/inference.ts'),
      import('#domain/inference/inference.ts'),
      import('#middleware/meter.ts'),
      import('#middleware/call.ts'),
      import('#middleware/event-stream.ts'),
      import('#contract/http/format.ts'),
      import('#domain/shared/service-error.ts'),
      import('#domain/billing/grants.ts'),
    ]);
  const schemas = {
    ...(await import('#domain/inference/chat.ts')),
    ...(await import('#domain/inference/completion.ts')),
    ...(await import('#domain/inference/embeddings.ts')),
    ...(await import('#domain/inference/model-stream.ts')),
  };
  delete process.env['OFFER'];

  const account = await ledger.openLedgerAccount(databaseUrl, { id: (accounts += 1), at });
  const model: ScriptedModel = { answer: { pieces: [], usage: undefined }, request: undefined };
  const inference = inferring.inference(gateway(), zTokens, account.clock);
  const services = { inference: () => inference } as never;
  const lost: unknown[] = [];
  const meters = () => ({
    metering: account.meters,
    now: account.clock.now,
    onLostSettlement: (error: unknown) => void lost.push(error),
    onExcess: () => undefined,
  });
  const kinds = {
    chat: [inferenceRoutes.createChatCompletion, api.createChatCompletion],
    completion: [inferenceRoutes.createCompletion, api.createCompletion],
    embeddings: [inferenceRoutes.createEmbeddings, api.createEmbeddings],
  } as const;
  let count = 0;

  const failure = () => new errors.ServiceError('MODEL_ERROR', 'The model failed.');

  function gateway(): ModelGateway {
    const call = <Result>(request: ModelRequest, send: () => Result) => ({
      prepare: () => undefined,
      send: () => {
        model.request = request;
        return send();
      },
    });
    async function whole<Reply>(reply: (text: string, usage: unknown) => Reply): Promise<Reply> {
      const { pieces, usage, failsAfter } = model.answer;
      if (failsAfter !== undefined) throw failure();
      return reply(pieces.join(''), usage);
    }
    async function* streamed<Chunk>(schema: v.GenericSchema<unknown, Chunk>, choice: (text: string) => object) {
      const { pieces, usage, running, failsAfter } = model.answer;
      for (const [index, piece] of pieces.entries()) {
        if (index === failsAfter) throw failure();
        yield v.parse(schema, { choices: [choice(piece)], usage: running?.[index] });
      }
      if (failsAfter !== undefined && failsAfter >= pieces.length) throw failure();
      if (usage !== undefined) yield v.parse(schema, { choices: [], usage });
    }
    const cancel = () => undefined;
    return {
      chat: (_, request) =>
        call(request, () =>
          whole((content, usage) => v.parse(schemas.ModelChatReply, { choices: [{ message: { content } }], usage })),
        ),
      completion: (_, request) =>
        call(request, () =>
          whole((text, usage) => v.parse(schemas.ModelCompletionReply, { choices: [{ text }], usage })),
        ),
      chatStream: (_, request) =>
        call(request, () => ({
          chunks: streamed(schemas.ChatChunk, (content) => ({ delta: { content } })),
          cancel,
        })),
      completionStream: (_, request) =>
        call(request, () => ({ chunks: streamed(schemas.CompletionChunk, (text) => ({ text })), cancel })),
      embed: (_, request) => {
        const data = request.input.map((_text, index) => ({ index, embedding: [1] }));
        return call(request, () => whole((_text, usage) => v.parse(schemas.ModelEmbeddings, { data, usage }))).send();
      },
    };
  }

  /** Prices a request and holds its maximum. Rejects if the credits do not cover it. */
  async function admit(kind: keyof typeof kinds, body: object) {
    const [route, operation] = kinds[kind];
    const requestId = `call-${(count += 1)}`;
    const input = { path: {}, query: {}, body: v.parse<v.GenericSchema>(route.bodyInput, body) };
    const prove = async () => undefined;
    const order: Order = await operation.order!(services, input.body as never, prove, 'json');
    const call: Call = {
      requestId,
      startedAt: account.clock.now(),
      response: new calls.ResponseLifecycle(account.clock.now, () => undefined),
      responseKind: 'json',
      identity: { caller: { kind: 'key', accountId: account.id, keyId: 'key-1' } },
      input,
      order,
      cookies: {},
    };
    const middleware = metered.meter(route, meters);
    const run = (step: 'before' | 'after' | 'onError', response?: unknown): Promise<unknown> =>
      (middleware[step] as (request: unknown) => Promise<unknown>).call(undefined, { context: { call }, response });
    await run('before');

    /** Runs the call and returns its charge. `reads`: pieces of a stream that the client reads; by default all. */
    async function finish(answer: Answer, reads: number | undefined): Promise<number> {
      Object.assign(model, { answer });
      const setCost = (cost: number) => void (call.response.cost = cost);
      try {
        const result: unknown = await operation.run(services, { order: call.order, requestId, setCost } as never);
        await run('after', result);
        if (order.stream) await read(result as never, reads);
      } catch (error) {
        if (!(error instanceof errors.ServiceError)) throw error;
        await run('onError');
      }
      await call.response.settle();
      return call.response.cost;
    }

    async function read(result: Parameters<typeof events.eventStream>[0], reads = Infinity): Promise<void> {
      const { pieces, disconnect } = events.eventStream(result, {
        format: formats.responseFormats[route.format],
        lifecycle: call.response,
        explain: (error) => error as never,
      });
      let left = reads;
      if (left > 0) for await (const _ of pieces) if (--left <= 0) break;
      await disconnect();
    }

    return { requestId, held: call.admission!.openHold.held, finish };
  }

  return {
    account,
    model,
    lost,
    admit,
    topUp: (micro: number) =>
      account.meters.change(account.id, account.clock.now(), (meter) =>
        grants.grantCredits(meter, micro, account.clock.seconds),
      ),
  };
}

/** Unloads the modules with the last offer, because the next test file shares the process. */
export function forgetOffer(): void {
  delete process.env['OFFER'];
  vi.resetModules();
}

/** Counts letters z only, so that quotes and field names of JSON do not count. */
const zTokens = {
  count: async (text: string): Promise<number> => text.split('z').length - 1,
  decode: async () => [],
};
