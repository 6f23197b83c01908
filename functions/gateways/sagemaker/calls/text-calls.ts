import type { ModelCall, ModelStream } from '#domain/inference/model-gateway.ts';
import type { ModelChunk } from '#domain/inference/streams/model-stream.ts';
import type { TextDialect } from '../containers/container.ts';
import { Deadline } from '../deadline.ts';
import { maxStreamBytes, maxTextBytes } from '../response-bounds.ts';
import type { Invocation, Invoke } from '../runtime.ts';
import { findServed, type GatewayContext, type Served } from '../served-model.ts';
import type { ChunkSource } from '../stream/model-chunks.ts';
import { stopsOf, type TextKind } from './text-kinds.ts';
import { readReply } from './whole-reply.ts';

interface TextRequest {
  readonly max_tokens: number;
  readonly [parameter: string]: unknown;
}

type ServedText<Request, Reply> = Served<TextDialect<Request, Reply>>;

/** A text request to a model. `Ready` is what is left to do once the request is serialized and signed. */
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

  protected invocation({ endpoint, component, dialect, servedName }: ServedText<Request, Reply>, stream: boolean) {
    const body = dialect.body(this.request, { stream, servedName });
    return { endpoint, component, body, maxBytes: maxTextBytes(this.model) } satisfies Invocation;
  }
}

interface ReadyReply<Reply> {
  readonly invoke: Invoke;
  readonly parse: (value: unknown) => Reply;
}

/** Whose response is read as a whole. */
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

type StreamModule = typeof import('../stream/stopped-chunks.ts');

/** Loaded with the first stream, as most functions start without one. */
let streamModule: StreamModule | undefined;

async function loadStreamModule(): Promise<StreamModule> {
  return (streamModule = await import('../stream/stopped-chunks.ts'));
}

async function* firstChunks(source: ChunkSource, stops: readonly string[]): AsyncGenerator<ModelChunk> {
  const { stoppedChunks } = await loadStreamModule();
  yield* stoppedChunks(source, stops);
}

/** Whose response is read as the model generates it. */
export class StreamCall<Request extends TextRequest, Reply>
  extends TextCall<Request, Reply, ReadyStream>
  implements ModelCall<ModelStream>
{
  send(signal?: AbortSignal): ModelStream {
    const ready = this.ready();
    const { deadlineMs: waitMs, streamDeadlineMs } = this.context.settings;
    const deadline = new Deadline(streamDeadlineMs, signal);
    const maxBytes = maxStreamBytes(this.request.max_tokens);
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
