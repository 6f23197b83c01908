import * as v from 'valibot';
import type { ModelChatReply, ModelChatRequest } from '#domain/inference/chat.ts';
import type { ModelCompletionReply, ModelCompletionRequest } from '#domain/inference/completion.ts';
import { cutAtStop, type ModelChunk } from '#domain/inference/model-stream.ts';
import type { ModelCall, ModelStream } from '#domain/inference/order.ts';
import type { JsonLiterals } from '#domain/shared/text.ts';
import { type Container, isSilent, mayFail, refuseEmpty, refuseFailed, type TextDialect } from './container.ts';
import { Deadline } from './deadline.ts';
import type { ChunkSource } from './model-chunks.ts';
import { type Invocation, type Invoke, logprobBytes, maxStreamBytes, maxTextBytes, windowOf } from './runtime.ts';
import { Attempts, type GatewayContext, type Served } from './served-model.ts';

interface TextRequest {
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

type ServedText<Request, Reply> = Served<TextDialect<Request, Reply>>;

type TextAttempts<Request, Reply, Ready> = Attempts<TextDialect<Request, Reply>, Ready>;

/** A text request to a model. `Ready` is the remaining work once the request is serialized and signed. */
abstract class TextCall<Request extends TextRequest, Reply, Ready> {
  protected readonly context: GatewayContext;
  protected readonly kind: TextKind<Request, Reply>;
  protected readonly model: string;
  protected readonly request: Request;
  #attempts: TextAttempts<Request, Reply, Ready> | undefined;
  #literals: JsonLiterals | undefined;

  constructor(context: GatewayContext, kind: TextKind<Request, Reply>, model: string, request: Request) {
    this.context = context;
    this.kind = kind;
    this.model = model;
    this.request = request;
  }

  prepare(literals?: JsonLiterals): void {
    this.#literals = literals;
    this.attempts();
  }

  protected attempts(): TextAttempts<Request, Reply, Ready> {
    const { context, model, kind } = this;
    const makeReady = (served: ServedText<Request, Reply>) => this.makeReady(served);
    return (this.#attempts ??= new Attempts({ context, model, dialectOf: kind.dialectOf, makeReady }));
  }

  protected abstract makeReady(served: ServedText<Request, Reply>): Ready;

  protected invocation(served: ServedText<Request, Reply>, stream: boolean) {
    const { place, dialect, servedName } = served;
    const body = dialect.body(this.request, { stream, servedName });
    const isTgi = place.kind === 'sagemaker' && place.family === 'tgi';
    const tokens = this.request.max_tokens + (isTgi ? windowOf(this.model) : 0);
    const maxBytes = maxTextBytes(tokens) + maxLogprobBytes(this.request);
    return { place, body, literals: this.#literals, maxBytes } satisfies Invocation;
  }
}

/** Maximum bytes of all log probabilities, including `top_logprobs` alternatives for each token. */
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
    const { model, request, kind } = this;
    const { deadlineMs: waitMs } = this.context.settings;
    const limits = { waitMs, kind: 'whole', isOver: () => signal?.aborted ?? false } as const;
    return this.attempts().respond(limits, async ({ invoke, parse }, deadlineMs) =>
      kind.checked(await readReply({ model, invoke, parse, deadlineMs, signal }), request),
    );
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

type FallbackStream = Parameters<typeof import('./fallback.ts').firstStream<ReadyStream, ModelChunk>>[0];

async function* fallbackChunks(stream: FallbackStream): AsyncGenerator<ModelChunk> {
  const { firstStream } = await import('./fallback.ts');
  yield* firstStream(stream);
}

const hasOutput = ({ choices, usage }: ModelChunk): boolean =>
  Boolean(usage?.prompt_tokens) ||
  choices.some(({ text, delta, finish_reason: reason }) => text || reason || !isSilent(delta));

/** A request with a streamed response. */
export class StreamCall<Request extends TextRequest, Reply>
  extends TextCall<Request, Reply, ReadyStream>
  implements ModelCall<ModelStream>
{
  send(signal?: AbortSignal): ModelStream {
    const attempts = this.attempts();
    const { deadlineMs: waitMs, streamDeadlineMs } = this.context.settings;
    const deadline = new Deadline(streamDeadlineMs, signal);
    const maxBytes = maxStreamBytes(this.request.max_tokens) + maxLogprobBytes(this.request);
    const stops = stopsOf(this.request);
    const open = (ready: ReadyStream, own: Deadline) => {
      const source = { model: this.model, ...ready, deadline: own, waitMs, maxBytes };
      return (streamModule?.stoppedChunks ?? firstChunks)(source, stops);
    };
    const chunks = attempts.hasFallback
      ? fallbackChunks({ attempts, deadline, settings: this.context.settings, waitMs, open, hasOutput })
      : open(attempts.first, deadline);
    return { chunks, cancel: deadline.end };
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

/** Loaded on the first failure. */
const loadErrors = () => import('./errors.ts');

async function throwFailure(value: unknown, model: string): Promise<void> {
  const { failureError, failureIn } = await import('./errors.ts');
  const failure = failureIn(value);
  if (failure) throw failureError(failure, model);
}

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
    if (mayFail(value)) await throwFailure(value, model);
    return parse(value);
  } catch (error) {
    const isOver = deadline.isOver;
    const { serviceErrorOf } = await loadErrors();
    throw serviceErrorOf(error, model, isOver);
  } finally {
    deadline.clear();
    if (!isWhole) deadline.end();
  }
}
