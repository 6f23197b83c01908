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
