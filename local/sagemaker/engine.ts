/** A model server: the behaviour of an OpenAI-compatible container on `/invocations`. */
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
