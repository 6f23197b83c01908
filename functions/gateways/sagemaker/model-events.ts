import { isJson } from '#contract/shared/json.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { pieceBytes } from './runtime.ts';

/** Bytes. Far longer than any event. */
const maxLineBytes = 1024 * 1024;

const lineEnd = 0x0a;
const endMark = '[DONE]';

/** Other fields of server-sent events, and comments (HTML standard, "Interpreting an event stream"). */
const otherFields = [':', 'event:', 'id:', 'retry:'];

/**
 * Reads the events of a container's streamed reply: server-sent events with `data:` (vLLM, TGI), JSON lines (LMI), or a
 * whole reply as indented JSON. Returns the text of each event; the caller parses the JSON. Any other line is an event
 * too, so that it is rejected instead of skipped. Input may be split anywhere, including within a character. Ignores
 * everything after `[DONE]`.
 */
export class EventReader {
  /** The incomplete last line. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  #isDone = false;
  #isFirst = true;
  /** Lines of a reply in indented JSON. */
  #indented: string[] | undefined;
  #indentedLength = 0;

  /** Whether the container has sent `[DONE]`. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Returns the events whose lines these bytes complete. */
  push(bytes: Buffer): readonly string[] {
    const end = bytes.lastIndexOf(lineEnd) + 1;
    const ended = end > 0 ? this.#taken(bytes, end) : '';
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    return this.#events(ended);
  }

  /** Returns the event of the unterminated line, or of all lines of indented JSON. */
  end(): readonly string[] {
    const events = this.#events(this.#taken(Buffer.alloc(0), 0));
    return this.#indented ? [this.#indented.join('\n')] : events;
  }

  /** Decodes the buffered bytes up to a line end, where no character is split. */
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
      // Removes the byte order mark before the first line.
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
    if (this.#indentedLength > maxLineBytes) throw new ServiceError('MODEL_ERROR', 'The model sent incomplete JSON.');
  }
}

/** Returns whether a line starts JSON that continues on the next. */
function isOpenJson(line: string): boolean {
  return (line.startsWith('{') || line.startsWith('[')) && !isJson(line);
}
