/** What an answer says before its body. Names in small letters; the values of one that came twice are joined by commas. */
export interface AnswerHead {
  /** Of HTTP: `1.0` or `1.1`. */
  readonly version: string;
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
}

/** The parts of an answer; a body is of known length, in chunks, or the rest of the connection. */
type Part = 'head' | 'length' | 'rest' | 'size' | 'chunk' | 'chunk end' | 'trailer';

/** Bytes. Node.js takes no larger head either. */
const largestHead = 16 * 1024;
const emptyLine = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');

/**
 * Reads one answer to a POST off a connection (RFC 9112): its head, and its body in whatever pieces it comes. Only the framings
 * of HTTP/1.1 are known: a length, chunks, or the connection's end. Throws on anything else.
 */
export class AnswerReader {
  head: AnswerHead | undefined;
  isComplete = false;
  /** Whether the connection is no good for another request after this answer. */
  isLast = false;
  /** Of a head, a line or a mark whose end has not come yet. */
  #held: Buffer | undefined;
  #next: Part = 'head';
  #pieces: Buffer[] = [];
  #left = 0;

  /** The pieces of the body in these bytes. */
  push(bytes: Buffer): readonly Buffer[] {
    this.#pieces = [];
    let rest: Buffer | undefined = this.#held ? Buffer.concat([this.#held, bytes]) : bytes;
    this.#held = undefined;
    while (rest !== undefined && rest.length > 0) {
      if (this.isComplete) throw new Error('there is more than the answer');
      const before: Buffer = rest;
      rest = this.#read(before);
      if (rest === undefined) this.#held = before;
    }
    return this.#pieces;
  }

  /** The connection has ended: whether the answer is whole with that. */
  end(): boolean {
    this.isComplete ||= this.#next === 'rest';
    return this.isComplete;
  }

  /** What is left when the next part has been read; undefined when that is not there whole. */
  #read(bytes: Buffer): Buffer | undefined {
    const part = this.#next;
    if (part === 'head') return this.#readHead(bytes);
    if (part === 'length') return this.#readLength(bytes);
    if (part === 'size') return this.#readSize(bytes);
    if (part === 'chunk') return this.#readChunk(bytes);
    if (part === 'chunk end') return this.#readChunkEnd(bytes);
    if (part === 'trailer') return this.#readTrailer(bytes);
    return this.#readRest(bytes);
  }

  #readHead(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(emptyLine);
    if ((end === -1 ? bytes.length : end) > largestHead) throw new Error('the head of the answer is too large');
    if (end === -1) return undefined;
    const head = headOf(bytes.toString('latin1', 0, end));
    const isInterim = head.status < 200;
    if (!isInterim) this.#begin(head);
    return bytes.subarray(end + emptyLine.length);
  }

  #begin(head: AnswerHead): void {
    this.head = head;
    const { headers } = head;
    const coding = headers.get('transfer-encoding');
    const length = headers.get('content-length');
    const connection = headers.get('connection');
    this.isLast = head.version !== '1.1' || (connection !== undefined && /(^|,) *close *(,|$)/i.test(connection));
    if (head.status === 204 || head.status === 304) this.isComplete = true;
    else if (coding !== undefined) this.#beginChunks(coding, length);
    else if (length !== undefined) this.#beginLength(length);
    else {
      this.isLast = true;
      this.#next = 'rest';
    }
  }

  #beginChunks(coding: string, length: string | undefined): void {
    if (coding.toLowerCase() !== 'chunked' || length !== undefined)
      throw new Error('the answer has an unknown framing');
    this.#next = 'size';
  }

  #beginLength(length: string): void {
    this.#left = Number(length);
    if (!/^\d+$/.test(length) || !Number.isSafeInteger(this.#left)) throw new Error('the answer has no usable length');
    this.isComplete = this.#left === 0;
    this.#next = 'length';
  }

  #readLength(bytes: Buffer): Buffer {
    const rest = this.#take(bytes);
    this.isComplete = this.#left === 0;
    return rest;
  }

  #readRest(bytes: Buffer): Buffer {
    this.#left = bytes.length;
    return this.#take(bytes);
  }

  /** As much of the body as is left and is there. */
  #take(bytes: Buffer): Buffer {
    const piece = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= piece.length;
    this.#pieces.push(piece);
    return bytes.subarray(piece.length);
  }

  #readSize(bytes: Buffer): Buffer | undefined {
    const end = lineEndIn(bytes);
    if (end === -1) return undefined;
    const size = /^([\da-f]{1,8}) *(;|$)/i.exec(bytes.toString('latin1', 0, end))?.[1];
    if (size === undefined) throw new Error('a chunk of the answer has no usable size');
    this.#left = Number.parseInt(size, 16);
    this.#next = this.#left === 0 ? 'trailer' : 'chunk';
    return bytes.subarray(end + lineEnd.length);
  }

  #readChunk(bytes: Buffer): Buffer {
    const rest = this.#take(bytes);
    if (this.#left === 0) this.#next = 'chunk end';
    return rest;
  }

  #readChunkEnd(bytes: Buffer): Buffer | undefined {
    if (bytes.length < lineEnd.length) return undefined;
    if (lineEndIn(bytes) !== 0) throw new Error('a chunk of the answer is longer than it says');
    this.#next = 'size';
    return bytes.subarray(lineEnd.length);
  }

  #readTrailer(bytes: Buffer): Buffer | undefined {
    const end = lineEndIn(bytes);
    if (end === -1) return undefined;
    this.isComplete = end === 0;
    return bytes.subarray(end + lineEnd.length);
  }
}

function lineEndIn(bytes: Buffer): number {
  const end = bytes.indexOf(lineEnd);
  if ((end === -1 ? bytes.length : end) > largestHead) throw new Error('a line of the answer is too long');
  return end;
}

function headOf(text: string): AnswerHead {
  const [first = '', ...lines] = text.split('\r\n');
  const [, version, status] = /^HTTP\/(1\.[01]) ([1-5]\d\d)( |$)/.exec(first) ?? [];
  if (version === undefined) throw new Error('the answer is not HTTP');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1 || line[colon - 1] === ' ') throw new Error('the answer has a malformed header');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return { version, status: Number(status), headers };
}
