import { ServiceError } from '#domain/service-error.ts';

/** Bytes. No event is nearly as long; what is longer is no stream of events. */
const longestLine = 1024 * 1024;

const lineEnd = 0x0a;
const endMark = '[DONE]';

/**
 * Reads the JSON values of a container's streamed reply: server-sent events with `data:` (vLLM, TGI) or JSON lines (LMI). The
 * bytes come in parts cut anywhere, also within a character. Nothing is read after `[DONE]`.
 */
export class EventReader {
  /** Of a line whose end has not come yet. */
  #rest: Uint8Array[] = [];
  #restBytes = 0;
  #isDone = false;

  /** Whether the container has said `[DONE]`. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The values whose lines have ended with these bytes. */
  *push(bytes: Uint8Array): Generator {
    const end = bytes.lastIndexOf(lineEnd) + 1;
    const lines = end > 0 && this.#taken(bytes.subarray(0, end)).split('\n');
    this.#keep(bytes.subarray(end));
    if (lines) yield* this.#values(lines);
  }

  /** The value of the line that did not end, if it has one. */
  *end(): Generator {
    yield* this.#values([this.#taken(new Uint8Array())]);
  }

  /** What was kept, and these bytes: no character is cut between them any more. */
  #taken(bytes: Uint8Array): string {
    const text = Buffer.concat([...this.#rest, bytes]).toString();
    this.#rest = [];
    this.#restBytes = 0;
    return text;
  }

  #keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
    if (this.#restBytes > longestLine) throw new ServiceError('MODEL_ERROR', 'The model sent a line without an end.');
  }

  *#values(lines: readonly string[]): Generator {
    for (const line of lines) {
      const text = data(line);
      this.#isDone ||= text === endMark;
      if (this.#isDone) return;
      if (text.startsWith('{')) yield JSON.parse(text);
    }
  }
}

/** What stands after `data:`; trimmed, so that no mark of the byte order is left before the first one. */
function data(line: string): string {
  const text = line.trim();
  return text.startsWith('data:') ? text.slice('data:'.length).trimStart() : text;
}
