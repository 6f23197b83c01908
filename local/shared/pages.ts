import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers what is not the API, and says whether it did. */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;
