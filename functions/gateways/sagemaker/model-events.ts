import { ServiceError } from '#domain/service-error.ts';

/**
 * The JSON values of a container's streamed reply: server-sent events with `data:` (vLLM, TGI) or JSON lines (LMI). The
 * bytes come in parts cut anywhere, also within a character. Ends with whether the container said `[DONE]`.
 */
export async function* modelEvents(parts: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, { done: boolean }> {
  for await (const line of lines(parts)) {
    const text = line.startsWith('data:') ? line.slice('data:'.length).trim() : line.trim();
    if (text === '[DONE]') return { done: true };
    if (text.startsWith('{')) yield parsed(text);
  }
  return { done: false };
}

async function* lines(parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of parts) {
    const pieces = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    yield* pieces;
  }
  yield rest + decoder.decode();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('MODEL_ERROR', 'The model sent something that is no JSON.', { cause });
  }
}
