import { ServiceError } from '#domain/shared/service-error.ts';
import { pieceBytes } from './runtime.ts';

/** Bytes. No event is nearly as long; what is longer is no stream of events. */
const maxLineBytes = 1024 * 1024;

const lineEnd = 0x0a;
const endMark = '[DONE]';

/** Fields of server-sent events that carry nothing of the reply, and comments (HTML standard, "Interpreting an event stream"). */
const otherFields = [':', 'event:', 'id:', 'retry:'];

/**
 * Reads the events of a container's streamed reply: server-sent events with `data:` (vLLM, TGI), JSON lines (LMI), or a whole reply
 * that is indented JSON. Returns the text of each event, whose JSON its reader parses: a line of any other kind is an event too, so
 * that it is refused and not skipped. The bytes come in parts cut anywhere, also within a character. Nothing is read after `[DONE]`.
 */
export class EventReader {
  /** Of a line whose end has not come yet. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  #isDone = false;
  #isFirst = true;
  /** The lines of a reply that is indented JSON. */
  #indented: string[] | undefined;
  #indentedLength = 0;

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

  /** The event of the line that did not end, or of all lines of indented JSON. */
  end(): readonly string[] {
    const events = this.#events(this.#taken(Buffer.alloc(0), 0));
    return this.#indented ? [this.#indented.join('\n')] : events;
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
      // Without the byte order mark that may stand before the first one.
      const text = line.trim();
      if (this.#indented) this.#keepIndented(line);
      else if (text === '' || otherFields.some((field) => text.startsWith(field))) continue;
      else if (this.#isFirst && isOpenJson(text)) this.#keepIndented(text);
      else {
        const event = text.startsWith('data:') ? text.slice('data:'.length).trimStart() : text;
        this.#isDone ||= event === endMark;
        if (this.#isDone) break;
        if (event !== '') events.push(event);
      }
      this.#isFirst = false;
    }
    return events;
  }

  #keepIndented(line: string): void {
    this.#indented ??= [];
    this.#indented.push(line);
    this.#indentedLength += line.length + pieceBytes;
    if (this.#indentedLength > maxLineBytes)
      throw new ServiceError('MODEL_ERROR', 'The model sent JSON without an end.');
  }
}

/** Whether a line begins JSON that it does not end. */
function isOpenJson(line: string): boolean {
  if (!line.startsWith('{') && !line.startsWith('[')) return false;
  try {
    JSON.parse(line);
    return false;
  } catch {
    return true;
  }
}
