import type { IncomingMessage, ServerResponse } from 'node:http';

/** Serves what is not the API; false where it does not. */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;
