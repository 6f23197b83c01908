import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import * as v from 'valibot';
import { ReplyHead, writeHead } from './gateway-reply.ts';

/**
 * The stream a response-streaming handler writes to. Every chunk leaves at once; a slow client slows the writer down;
 * a client that goes away destroys it, so the handler's pipeline ends with an error.
 */
export class ResponseStream extends Writable {
  readonly #response: ServerResponse;
  #head: ReplyHead | undefined;

  constructor(response: ServerResponse) {
    super({ decodeStrings: true });
    this.#response = response;
    // The pipeline that writes here sees the error too; without a listener it would end the process.
    this.on('error', () => undefined);
    response.once('close', () => {
      if (!response.writableFinished) this.destroy(new Error('the client closed the connection'));
    });
  }

  /** Status and headers of the answer: what the runtime sends as the prelude, before the first byte. */
  setHead(metadata: unknown): void {
    this.#head = v.parse(ReplyHead, metadata);
  }

  /** False when there is nothing to begin with. */
  #begin(): boolean {
    if (this.#head && !this.#response.headersSent) writeHead(this.#response, this.#head);
    return this.#head !== undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    if (!this.#begin()) return written(new Error('the handler wrote before it gave HttpResponseStream a status'));
    // The head leaves with the first bytes in one packet, or alone where an empty chunk asks for that.
    if (chunk.byteLength === 0) this.#response.flushHeaders();
    if (chunk.byteLength === 0 || this.#response.write(chunk)) written();
    else this.#response.once('drain', () => written());
  }

  override _final(written: (error?: Error | null) => void): void {
    if (this.#begin()) this.#response.end(() => written());
    else written(new Error('the handler ended before it gave HttpResponseStream a status'));
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (error && this.#response.headersSent) this.#response.destroy();
    done(error);
  }
}
