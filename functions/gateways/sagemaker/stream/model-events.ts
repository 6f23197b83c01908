import { ServiceError } from '#domain/shared/service-error.ts';
import { pieceBytes } from '../response-bounds.ts';

/** Bytes. No event is nearly as long; what is longer is no stream of events. */
const maxLineBytes = 1024 * 1024;

const lineEnd = 0x0a;
const endMark = '[DONE]';

/**
 * Reads the events of a container's streamed reply, each JSON as text: server-sent events with `data:` (vLLM, TGI) or JSON lines
 * (LMI). The bytes come in parts cut anywhere, also within a character. Nothing is read after `[DONE]`.
 */
export class EventReader {
  /** Of a line whose end has not come yet. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  #isDone = false;

  /** Whether the container has sent `[DONE]`. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** The events whose lines have ended with these bytes. */
  push(bytes: Buffer): readonly string[] {
    const end = bytes.lastIndexOf(lineEnd) + 1;
    const ended = end > 0 ? this.#taken(bytes, end) : '';
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    return this.#events(ended);
  }

  /** The event of the line that did not end, if it has one. */
  end(): readonly string[] {
    return this.#events(this.#taken(Buffer.alloc(0), 0));
  }

  /** What was kept, and the bytes up to an end of a line, where no character is cut. */
  #taken(bytes: Buffer, end: number): string {
    if (this.#rest.length === 0) return bytes.toString('utf8', 0, end);
    const text = Buffer.concat([...this.#rest, bytes.subarray(0, end)]).toString();
    this.#rest = [];
    this.#restBytes = 0;
    return text;
  }

  #keep(bytes: Buffer): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length + pieceBytes;
    if (this.#restBytes > maxLineBytes)
      throw new ServiceError('MODEL_ERROR', 'The model returned an invalid response.');
  }

  #events(lines: string): readonly string[] {
    const events: string[] = [];
    for (const line of lines.split('\n')) {
      const text = data(line);
      this.#isDone ||= text === endMark;
      if (this.#isDone) break;
      if (text.startsWith('{')) events.push(text);
    }
    return events;
  }
}

/** What stands after `data:`; trimmed, so that no mark of the byte order is left before the first one. */
function data(line: string): string {
  const text = line.trim();
  return text.startsWith('data:') ? text.slice('data:'.length).trimStart() : text;
}
