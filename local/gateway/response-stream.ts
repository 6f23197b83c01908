import type { ServerResponse } from 'node:http';
import * as v from 'valibot';
import { ReplyHead, writeHead } from './gateway-response.ts';

/**
 * What a response-streaming handler is given. It may be written to once its head is known, and then is the response itself:
 * every chunk is sent immediately, a slow client slows the writer down, and one that goes away closes it.
 */
export class ResponseStream {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** With status and headers, which leave with the first bytes in one packet, or alone after an empty chunk. */
  withHead(metadata: unknown): ServerResponse {
    writeHead(this.#response, v.parse(ReplyHead, metadata));
    // The pipeline that writes here sees the error too; without a listener it would end the process.
    return this.#response.on('error', () => undefined);
  }
}
