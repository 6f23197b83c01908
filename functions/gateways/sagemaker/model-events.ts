import { ServiceError } from '#domain/service-error.ts';

/** Characters. No event is nearly as long; what is longer is no stream of events. */
const longestLine = 1024 * 1024;

/**
 * The JSON values of a container's streamed reply: server-sent events with `data:` (vLLM, TGI) or JSON lines (LMI). The
 * bytes come in parts cut anywhere, also within a character. Ends with whether the container said `[DONE]`.
 */
export async function* modelEvents(parts: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, { done: boolean }> {
  for await (const line of lines(parts)) {
    const text = line.startsWith('data:') ? line.slice('data:'.length).trim() : line.trim();
    if (text === '[DONE]') return { done: true };
    if (text.startsWith('{')) yield JSON.parse(text);
  }
  return { done: false };
}

async function* lines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const pieces = decoder.decode(part, { stream: true }).split('\n');
    pieces[0] = rest + pieces[0];
    rest = pieces.pop() ?? '';
    if (rest.length > longestLine) throw new ServiceError('MODEL_ERROR', 'The model sent a line without an end.');
    yield* pieces;
  }
  yield rest + decoder.decode();
}
