import { ServiceError } from '#domain/service-error.ts';

/** Characters. No event is nearly as long; what is longer is no stream of events. */
const longestLine = 1024 * 1024;

/**
 * The JSON values of a container's streamed reply: server-sent events with `data:` (vLLM, TGI) or JSON lines (LMI). The
 * bytes come in parts cut anywhere, also within a character. Ends with whether the container said `[DONE]`.
 */
export async function* modelEvents(parts: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, { done: boolean }> {
  const lines = new LineReader();
  for await (const part of parts) {
    for (const text of lines.push(part).map(data)) {
      if (text === endMark) return { done: true };
      if (isJson(text)) yield JSON.parse(text);
    }
  }
  const last = data(lines.rest());
  if (isJson(last)) yield JSON.parse(last);
  return { done: last === endMark };
}

const endMark = '[DONE]';
const isJson = (text: string): boolean => text.startsWith('{');
const data = (line: string): string => (line.startsWith('data:') ? line.slice('data:'.length) : line).trim();

class LineReader {
  readonly #decoder = new TextDecoder();
  #rest = '';

  /** The lines that have ended with these bytes. */
  push(bytes: Uint8Array): string[] {
    const pieces = this.#decoder.decode(bytes, { stream: true }).split('\n');
    pieces[0] = this.#rest + pieces[0];
    this.#rest = pieces.pop() ?? '';
    if (this.#rest.length > longestLine) throw new ServiceError('MODEL_ERROR', 'The model sent a line without an end.');
    return pieces;
  }

  /** The line that did not end. */
  rest(): string {
    return this.#rest + this.#decoder.decode();
  }
}
