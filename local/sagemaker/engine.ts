import * as v from 'valibot';

/** A model server: the behavior of an OpenAI-compatible container on `/invocations`. */
export interface Engine {
  /** `signal` aborts when the client disconnects. A rejection stands for a crashed container. */
  invoke(body: unknown, signal: AbortSignal): Promise<EngineReply>;
  /** Accepts the form of OpenAI's transcription API. */
  transcribe?(form: FormData, signal: AbortSignal): Promise<EngineReply>;
  /** Accepts the body of OpenAI's speech API. The reply streams the audio file. */
  speak?(body: unknown, signal: AbortSignal): Promise<EngineReply>;
}

/**
 * `json`: a whole reply. The caller receives a status of 400 or more as a ModelError (424). `stream`: server-sent
 * events or the bytes of an audio file. An error during iteration is a broken stream.
 */
export type EngineReply =
  | { kind: 'json'; status: number; body: unknown }
  | { kind: 'stream'; contentType: string; chunks: AsyncIterable<Uint8Array> };

/** An error in vLLM's format (`ErrorResponse`). */
export function containerError(status: number, message: string): EngineReply {
  const type = status < 500 ? 'BadRequestError' : 'InternalServerError';
  return { kind: 'json', status, body: { error: { message, type, param: null, code: status } } };
}

const mebibyte = 1024 * 1024;

/** Maximum bytes of a model server's reply, above the service's own limits. */
export const maxReplyBytes = { text: 4 * mebibyte, vectors: 16 * mebibyte } as const;

export async function* boundedChunks(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`The reply has more than ${maxBytes} bytes.`);
    yield chunk;
  }
}

/** A reply in one chunk. */
export async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
}

const ErrorBody = v.object({ error: v.object({ message: v.string() }) });

export function refusalIn(reply: EngineReply): Refusal | undefined {
  if (reply.kind !== 'json' || reply.status < 400) return undefined;
  const body = v.safeParse(ErrorBody, reply.body);
  return { status: reply.status, message: body.success ? body.output.error.message : JSON.stringify(reply.body) };
}

export function failureIn(event: unknown): string | undefined {
  return v.is(ErrorBody, event) ? event.error.message : undefined;
}

const EmbeddingsBody = v.pipe(
  v.object({ data: v.array(v.object({ index: v.number(), embedding: v.array(v.number()) })) }),
  v.transform(({ data }) => data.toSorted((one, other) => one.index - other.index).map(({ embedding }) => embedding)),
);
export const vectorsIn = (reply: EngineReply): number[][] =>
  v.parse(EmbeddingsBody, reply.kind === 'json' ? reply.body : undefined);

/** Parses the engine's context length error. Undefined for any other error. */
export function overflowIn(message: string) {
  const found = /maximum context length is (\d+) tokens.*requested (\d+) tokens(?: \((\d+) in the \w+, (\d+))?/s.exec(
    message,
  );
  if (!found) return undefined;
  const [, takes, needs, prompt = needs, output = 0] = found;
  return { takes: Number(takes), prompt: Number(prompt), output: Number(output) };
}

/** Maximum characters of a line. */
const maxLine = 1024 * 1024;

/** The data of server-sent events. Chunks may split events anywhere. */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLine) throw new Error('The container sent a line without an end.');
    yield* lines.filter((line) => line.startsWith('data:')).map((line) => line.slice('data:'.length).trim());
  }
}
