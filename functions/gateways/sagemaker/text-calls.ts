import * as v from 'valibot';
import type { ModelChatReply, ModelChatRequest } from '#domain/inference/chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion.ts';
import type { ModelCall, ModelStream } from '#domain/inference/model-gateway.ts';
import { cutAtStop, type ModelChunk } from '#domain/inference/model-stream.ts';
import { type Container, failureError, failureIn, refuseEmpty, refuseFailed, type TextDialect } from './container.ts';
import { serviceErrorOf } from './errors.ts';
import type { ChunkSource } from './model-chunks.ts';
import {
  Deadline,
  type Invocation,
  type Invoke,
  logprobBytes,
  maxStreamBytes,
  maxTextBytes,
  windowOf,
} from './runtime.ts';
import { findServed, type GatewayContext, type Served } from './served-model.ts';

interface TextRequest {
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

type ServedText<Request, Reply> = Served<TextDialect<Request, Reply>>;

/** A text request to a model. `Ready` is the remaining work once the request is serialized and signed. */
abstract class TextCall<Request extends TextRequest, Reply, Ready> {
  protected readonly context: GatewayContext;
  protected readonly kind: TextKind<Request, Reply>;
  protected readonly model: string;
  protected readonly request: Request;
  #ready: Ready | undefined;

  constructor(context: GatewayContext, kind: TextKind<Request, Reply>, model: string, request: Request) {
    this.context = context;
    this.kind = kind;
    this.model = model;
    this.request = request;
  }

  prepare(): void {
    this.ready();
  }

  protected ready(): Ready {
    return (this.#ready ??= this.makeReady(findServed(this.context, this.model, this.kind.dialectOf)));
  }

  protected abstract makeReady(served: ServedText<Request, Reply>): Ready;

  protected invocation(served: ServedText<Request, Reply>, stream: boolean) {
    const { endpoint, component, server, family, dialect, servedName } = served;
    const body = dialect.body(this.request, { stream, servedName });
    const tokens = this.request.max_tokens + (family === 'tgi' ? windowOf(this.model) : 0);
    const maxBytes = maxTextBytes(tokens) + maxLogprobBytes(this.request);
    return { endpoint, component, server, body, maxBytes } satisfies Invocation;
  }
}

/** Bytes of the log probabilities of all tokens, each with those of the most likely tokens in its place. */
function maxLogprobBytes({ max_tokens, logprobs, top_logprobs: top = logprobs }: TextRequest): number {
  return logprobs ? max_tokens * logprobBytes * (1 + Number(top)) : 0;
}

interface ReadyReply<Reply> {
  readonly invoke: Invoke;
  readonly parse: (value: unknown) => Reply;
}

/** A request with a whole response. */
export class ReplyCall<Request extends TextRequest, Reply>
  extends TextCall<Request, Reply, ReadyReply<Reply>>
  implements ModelCall<Promise<Reply>>
{
  async send(signal?: AbortSignal): Promise<Reply> {
    const { invoke, parse } = this.ready();
    const { model, request } = this;
    const { deadlineMs } = this.context.settings;
    return this.kind.checked(await readReply({ model, invoke, parse, deadlineMs, signal }), request);
  }

  protected makeReady(served: ServedText<Request, Reply>): ReadyReply<Reply> {
    return { invoke: this.context.runtime.reply(this.invocation(served, false)), parse: served.dialect.reply };
  }
}

type ReadyStream = Pick<ChunkSource, 'parts' | 'chunk' | 'wholeChunk'>;

type StreamModule = typeof import('./model-chunks.ts');

/** Loaded with the first stream, because most functions start without one. */
let streamModule: StreamModule | undefined;

async function loadStreamModule(): Promise<StreamModule> {
  return (streamModule = await import('./model-chunks.ts'));
}

async function* firstChunks(source: ChunkSource, stops: readonly string[]): AsyncGenerator<ModelChunk> {
  const { stoppedChunks } = await loadStreamModule();
  yield* stoppedChunks(source, stops);
}

/** A request with a streamed response. */
export class StreamCall<Request extends TextRequest, Reply>
  extends TextCall<Request, Reply, ReadyStream>
  implements ModelCall<ModelStream>
{
  send(signal?: AbortSignal): ModelStream {
    const ready = this.ready();
    const { deadlineMs: waitMs, streamDeadlineMs } = this.context.settings;
    const deadline = new Deadline(streamDeadlineMs, signal);
    const maxBytes = maxStreamBytes(this.request.max_tokens) + maxLogprobBytes(this.request);
    const source = { model: this.model, ...ready, deadline, waitMs, maxBytes };
    const chunksOf = streamModule?.stoppedChunks ?? firstChunks;
    return { chunks: chunksOf(source, stopsOf(this.request)), cancel: deadline.end };
  }

  protected makeReady(served: ServedText<Request, Reply>): ReadyStream {
    if (!streamModule) loadStreamModule().catch(() => undefined);
    const { chunk, reply } = served.dialect;
    const wholeChunk = (value: unknown) => this.kind.chunk(reply(value));
    return { parts: this.context.runtime.parts(this.invocation(served, true)), chunk, wholeChunk };
  }
}

export interface TextKind<Request, Reply> {
  readonly dialectOf: (container: Container) => TextDialect<Request, Reply> | undefined;
  /** Returns the reply up to the first stop sequence. Throws MODEL_ERROR if the model failed or generated nothing. */
  readonly checked: (reply: Reply, request: Request) => Reply;
  /** Returns a whole reply as a single stream chunk. Throws MODEL_ERROR if the model generated nothing. */
  readonly chunk: (reply: Reply) => ModelChunk;
}

export const chatKind: TextKind<ModelChatRequest, ModelChatReply> = {
  dialectOf: ({ chat }) => chat,
  checked(reply, request) {
    refuseEmpty(reply);
    const stops = stopsOf(request);
    const choices = reply.choices.map((choice) => {
      refuseFailed(choice);
      const { text, stopped } = cutAtStop(choice.message.content ?? '', stops);
      return stopped ? { ...choice, message: { ...choice.message, content: text }, finish_reason: 'stop' } : choice;
    });
    return { ...reply, choices };
  },
  chunk(reply) {
    refuseEmpty(reply);
    const choices = reply.choices.map(({ message, finish_reason: reason, logprobs }) => ({
      delta: message,
      finish_reason: reason || 'stop',
      logprobs,
    }));
    return { choices, usage: reply.usage };
  },
};

export const completionKind: TextKind<ModelCompletionRequest, ModelCompletionReply> = {
  dialectOf: ({ completion }) => completion,
  checked(reply, request) {
    refuseEmpty(reply);
    const stops = stopsOf(request);
    const choices = reply.choices.map((choice) => {
      refuseFailed(choice);
      const { text, stopped } = cutAtStop(choice.text, stops);
      return stopped ? { ...choice, text, finish_reason: 'stop' } : choice;
    });
    return { ...reply, choices };
  },
  chunk(reply) {
    refuseEmpty(reply);
    const choices = reply.choices.map(({ text, finish_reason: reason, logprobs }) => ({
      text,
      finish_reason: reason || 'stop',
      logprobs,
    }));
    return { choices, usage: reply.usage };
  },
};

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

/** Also sent to the container, so that it can stop early. The gateway enforces them regardless. */
const stopsOf = ({ stop }: Readonly<Record<string, unknown>>): string[] =>
  stop === undefined ? [] : v.parse(Stops, stop);

export interface WholeReply<Reply> {
  readonly model: string;
  readonly invoke: Invoke;
  readonly parse: (value: unknown) => Reply;
  readonly deadlineMs: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Parses a whole reply and throws if it reports a failure. Any error cancels the model's work. */
export async function readReply<Reply>({
  model,
  invoke,
  parse,
  deadlineMs,
  signal,
}: WholeReply<Reply>): Promise<Reply> {
  const deadline = new Deadline(deadlineMs, signal);
  let isWhole = false;
  try {
    const invoked = invoke(deadline);
    deadline.start();
    const value = await invoked;
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
