import type { ModelEmbeddings, ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import type { ModelGateway } from '#domain/inference/order.ts';
import { failingTogether, mapTogether } from '#domain/shared/concurrency.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Container, EmbeddingsDialect, Vectors } from './container.ts';
import { maxEmbeddingsBytes, type ModelRuntime } from './runtime.ts';
import { Attempts, type GatewayContext, type ModelGatewaySettings, type Served } from './served-model.ts';
import { chatKind, completionKind, readReply, ReplyCall, StreamCall } from './text-calls.ts';

/**
 * Models behind their endpoints. Each endpoint is tried once (the client's `maxAttempts`): a second try would repeat
 * the model's work within the caller's time. Transient errors tell the caller when to retry.
 */
export function sagemakerGateway(runtime: ModelRuntime, settings: ModelGatewaySettings): ModelGateway {
  const context = { runtime, settings };
  return {
    chat: (model, request) => new ReplyCall(context, chatKind, model, request),
    chatStream: (model, request) => new StreamCall(context, chatKind, model, request),
    completion: (model, request) => new ReplyCall(context, completionKind, model, request),
    completionStream: (model, request) => new StreamCall(context, completionKind, model, request),
    embed: (model, request) => embed(context, model, request),
  };
}

/** Maximum concurrent batches of a call. */
const concurrentBatches = 8;

/** The vectors of all texts come from one endpoint. */
async function embed(
  context: GatewayContext,
  model: string,
  request: ModelEmbeddingsRequest,
): Promise<ModelEmbeddings> {
  const dialectOf = ({ embeddings }: Container) => embeddings;
  const makeReady = (served: Served<EmbeddingsDialect>) => (deadlineMs: number) =>
    embedAt(served, { runtime: context.runtime, model, request, deadlineMs });
  const attempts = new Attempts({ context, model, dialectOf, makeReady });
  const limits = { waitMs: context.settings.deadlineMs, kind: 'whole', isOver: () => false } as const;
  return attempts.respond(limits, (send, deadlineMs) => send(deadlineMs));
}

interface EmbeddingsCall {
  readonly runtime: ModelRuntime;
  readonly model: string;
  readonly request: ModelEmbeddingsRequest;
  readonly deadlineMs: number;
}

/** Sends the batches concurrently. The first failure cancels the others. */
function embedAt(
  { place, dialect, servedName }: Served<EmbeddingsDialect>,
  { runtime, model, request, deadlineMs }: EmbeddingsCall,
): Promise<ModelEmbeddings> {
  return failingTogether(AbortSignal.timeout(deadlineMs), async (signal) => {
    const calls = dialect.batches(request, servedName).map(({ texts, body }) => {
      const maxBytes = maxEmbeddingsBytes(texts);
      const invoke = runtime.reply({ place, body, maxBytes });
      const parse = (value: unknown) => vectorsFor(texts, dialect.reply(value));
      return { model, invoke, parse, deadlineMs, signal };
    });
    const replies = await mapTogether(calls, concurrentBatches, readReply);
    const vectors = replies.flatMap((reply) => reply.vectors);
    refuseDifferentLengths(vectors);
    refuseOtherDimensions(vectors, request, model);
    const counts = replies.map(({ promptTokens = Number.NaN }) => promptTokens);
    const prompt_tokens = counts.reduce((sum, count) => sum + count, 0);
    const data = vectors.map((embedding, index) => ({ index, embedding }));
    return { data, usage: counts.every((count) => count > 0) ? { prompt_tokens } : null };
  });
}

/** Requires one vector for each text. */
function vectorsFor(texts: number, reply: Vectors): Vectors {
  if (reply.vectors.length !== texts) throw invalid();
  return reply;
}

/** Requires one length for the vectors of all batches, because callers compare them with each other. */
function refuseDifferentLengths([first, ...others]: readonly number[][]): void {
  if (others.some(({ length }) => length !== first?.length)) throw invalid();
}

const invalid = () => new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');

/** Requires the ordered dimensions, because a container that cannot shorten vectors ignores the field. */
function refuseOtherDimensions(
  vectors: readonly number[][],
  { dimensions }: ModelEmbeddingsRequest,
  model: string,
): void {
  if (dimensions === undefined || vectors.every(({ length }) => length === dimensions)) return;
  throw new ServiceError(
    'INVALID_FORMAT',
    `dimensions must be a size that ${model} supports; it does not support ${dimensions}.`,
  );
}
