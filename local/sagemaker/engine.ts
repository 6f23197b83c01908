/** A model server in one container dialect: what an OpenAI-compatible container returns on `/invocations`. */
export interface Engine {
  /** `signal` aborts when the caller goes away. A rejection stands for a container that died. */
  invoke(body: unknown, signal: AbortSignal): Promise<EngineReply>;
  /** Writes down what is spoken in a file, where it can: a form of OpenAI's transcription API. */
  transcribe?(form: FormData, signal: AbortSignal): Promise<EngineReply>;
  /** Speaks a text, where it can: a request of OpenAI's speech API, whose reply is a stream of the file's bytes. */
  speak?(body: unknown, signal: AbortSignal): Promise<EngineReply>;
}

/**
 * `json`: a whole reply; a status of 400 or more reaches the caller as ModelError (424).
 * `stream`: the bytes of the container's server-sent events, or of an audio file; an error while iterating is a stream that broke.
 */
export type EngineReply =
  | { kind: 'json'; status: number; body: unknown }
  | { kind: 'stream'; contentType: string; chunks: AsyncIterable<Uint8Array> };

/** An error reply as vLLM makes it (vllm `ErrorResponse`). */
export function containerError(status: number, message: string): EngineReply {
  const type = status < 500 ? 'BadRequestError' : 'InternalServerError';
  return { kind: 'json', status, body: { error: { message, type, param: null, code: status } } };
}

const mebibyte = 1024 * 1024;

/** Bytes that a model server's whole reply may have here, of text and of vectors: more than the service takes of any. */
export const maxReplyBytes = { text: 4 * mebibyte, vectors: 16 * mebibyte } as const;

/** The same chunks; fails where they become more than `maxBytes`. */
export async function* boundedChunks(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`The reply has more than ${maxBytes} bytes.`);
    yield chunk;
  }
}
