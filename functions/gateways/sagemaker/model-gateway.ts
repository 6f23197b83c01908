import * as v from 'valibot';
import type { ModelEndpoint } from '#contract/inference/model-endpoints.ts';
import type { ContainerFamily } from '#contract/inference/models.ts';
import type { ModelChatReply, ModelChatRequest } from '#domain/inference/chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion.ts';
import type { ModelEmbeddings, ModelEmbeddingsRequest } from '#domain/inference/embeddings.ts';
import type { ModelGateway, ModelStream } from '#domain/inference/inference.ts';
import { cutAtStop } from '#domain/inference/stop-sequences.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Container, TextDialect } from './container.ts';
import { failureError, failureIn } from './container-failure.ts';
import { Deadline } from './deadline.ts';
import { serviceErrorOf } from './errors.ts';
import { lmi } from './lmi.ts';
import { type ChunkSource, modelChunks, refuseEmpty, refuseFailed } from './model-chunks.ts';
import { maxEmbeddingsBytes, maxStreamBytes, maxTextBytes } from './response-bounds.ts';
import type { Invocation, Invoke, ModelRuntime } from './runtime.ts';
import { stoppedChunks } from './stopped-chunks.ts';
import { tei } from './tei.ts';
import { tgi } from './tgi.ts';
import { refuseOtherDimensions, vectorsFor } from './vectors.ts';
import { vllm } from './vllm.ts';

/** Where each model runs, and how many milliseconds it may take. */
export interface ModelGatewaySettings {
  readonly endpointOf: (model: string) => ModelEndpoint | undefined;
  /** For a whole reply, and for each wait for a chunk of a stream. */
  readonly deadlineMs: number;
  /** For a stream from its beginning to its end. */
  readonly streamDeadlineMs: number;
  /** For embeddings, which a model does not make word by word. */
  readonly briefDeadlineMs: number;
}

const containers: Readonly<Record<ContainerFamily, Container>> = { vllm, lmi, tgi, tei };

/**
 * Models in containers behind SageMaker endpoints. A call is tried once (the client's `maxAttempts`): a second try would
 * repeat the model's work within the caller's time, and the refusals that pass by themselves say when to come back.
 */
export function sagemakerGateway(runtime: ModelRuntime, settings: ModelGatewaySettings): ModelGateway {
  /** Where a model is, and how to speak to it there. */
  function served<K extends keyof Container>(model: string, kind: K) {
    const at = settings.endpointOf(model);
    const dialect = at && containers[at.family][kind];
    if (!at || !dialect) throw new ServiceError('SERVICE_UNAVAILABLE', `The model ${model} is not available.`);
    return { ...at, model, dialect };
  }

  /** Calls that were made ready, by their requests. */
  const readyReplies = new WeakMap<object, Invoke>();
  const readyStreams = new WeakMap<object, StreamedCall>();

  function prepare(model: string, request: ModelChatRequest | ModelCompletionRequest, stream: boolean): void {
    if (stream) readyStreams.set(request, textCall(model, request, streamedCall));
    else readyReplies.set(request, textCall(model, request, wholeCall));
  }

  function textCall<T>(
    model: string,
    request: ModelChatRequest | ModelCompletionRequest,
    make: <Request>(at: Served<Request>, request: Request) => T,
  ): T {
    return isChat(request) ? make(served(model, 'chat'), request) : make(served(model, 'completion'), request);
  }

  function wholeCall<Request>(at: Served<Request>, request: Request): Invoke {
    return runtime.reply(invocationOf(at, request, false));
  }

  function streamedCall<Request>(at: Served<Request>, request: Request): StreamedCall {
    return { parts: runtime.parts(invocationOf(at, request, true)), chunk: at.dialect.chunk };
  }

  /** A whole reply, parsed; one that tells of a failure is thrown as that. Whatever fails ends the model's work. */
  async function ask<R>(model: string, send: Invoke, parse: (value: unknown) => R, signal?: AbortSignal) {
    const deadline = new Deadline(settings.deadlineMs, signal);
    let isWhole = false;
    try {
      const asked = send(deadline);
      deadline.start();
      const value = await asked;
      isWhole = true;
      const failure = failureIn(value);
      if (failure) throw failureError(failure, model);
      return parse(value);
    } catch (error) {
      throw serviceErrorOf(error, model, deadline.isOver);
    } finally {
      deadline.clear();
      if (!isWhole) deadline.end();
    }
  }

  async function chat(model: string, request: ModelChatRequest, signal?: AbortSignal): Promise<ModelChatReply> {
    const at = served(model, 'chat');
    const send = readyReplies.get(request) ?? wholeCall(at, request);
    const reply = await ask(model, send, at.dialect.reply, signal);
    refuseEmpty(reply, model);
    const choices = reply.choices.map((choice) => {
      refuseFailed(choice, model);
      const { text, stopped } = cutAtStop(choice.message.content ?? '', stopsOf(request));
      return stopped ? { ...choice, message: { ...choice.message, content: text }, finish_reason: 'stop' } : choice;
    });
    return { ...reply, choices };
  }

  async function complete(model: string, request: ModelCompletionRequest): Promise<ModelCompletionReply> {
    const at = served(model, 'completion');
    const send = readyReplies.get(request) ?? wholeCall(at, request);
    const reply = await ask(model, send, at.dialect.reply);
    refuseEmpty(reply, model);
    const choices = reply.choices.map((choice) => {
      refuseFailed(choice, model);
      const { text, stopped } = cutAtStop(choice.text, stopsOf(request));
      return stopped ? { ...choice, text, finish_reason: 'stop' } : choice;
    });
    return { ...reply, choices };
  }

  async function embed(model: string, request: ModelEmbeddingsRequest): Promise<ModelEmbeddings> {
    const { endpoint, component, dialect, servedName } = served(model, 'embeddings');
    const failed = new AbortController();
    const signal = AbortSignal.any([failed.signal, AbortSignal.timeout(settings.briefDeadlineMs)]);
    try {
      const asked = dialect.batches(request, servedName).map(({ texts, body }) => {
        const maxBytes = maxEmbeddingsBytes(texts);
        return { texts, send: runtime.reply({ endpoint, component, body, maxBytes }) };
      });
      const parse = (texts: number) => (value: unknown) => vectorsFor(texts, dialect.reply(value), model);
      const replies = await Promise.all(asked.map(({ texts, send }) => ask(model, send, parse(texts), signal)));
      const vectors = replies.flatMap((reply) => reply.vectors);
      refuseOtherDimensions(vectors, request, model);
      const counts = replies.map(({ promptTokens }) => promptTokens ?? Number.NaN);
      const prompt_tokens = counts.reduce((sum, count) => sum + count, 0);
      const data = vectors.map((embedding, index) => ({ index, embedding }));
      return { data, usage: Number.isNaN(prompt_tokens) ? null : { prompt_tokens } };
    } finally {
      failed.abort();
    }
  }

  function stream(model: string, request: ModelChatRequest | ModelCompletionRequest): ModelStream {
    const { parts, chunk } = readyStreams.get(request) ?? textCall(model, request, streamedCall);
    const deadline = new Deadline(settings.streamDeadlineMs);
    const maxBytes = maxStreamBytes(request.max_tokens);
    const chunks = modelChunks({ model, parts, chunk, deadline, waitMs: settings.deadlineMs, maxBytes });
    return { chunks: stoppedChunks(chunks, stopsOf(request)), cancel: deadline.end };
  }

  return { prepare, chat, complete, embed, stream };
}

interface Served<Request> extends ModelEndpoint {
  readonly model: string;
  readonly dialect: Pick<TextDialect<Request, unknown>, 'body' | 'chunk'>;
}

type StreamedCall = Pick<ChunkSource, 'parts' | 'chunk'>;

function invocationOf<Request>(at: Served<Request>, request: Request, stream: boolean): Invocation {
  const { endpoint, component, model, dialect, servedName } = at;
  const body = dialect.body(request, { stream, servedName });
  return { endpoint, component, body, maxBytes: maxTextBytes(model) };
}

const isChat = (request: ModelChatRequest | ModelCompletionRequest): request is ModelChatRequest =>
  Array.isArray(request['messages']);

const Stops = v.fallback(
  v.union([
    v.array(v.string()),
    v.pipe(
      v.string(),
      v.transform((stop) => [stop]),
    ),
  ]),
  [],
);

/** They are sent to the container too, so that it need not go on; that it obeys is not relied on. */
const stopsOf = ({ stop }: Readonly<Record<string, unknown>>): string[] =>
  stop === undefined ? [] : v.parse(Stops, stop);
