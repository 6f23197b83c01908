import type { ClientRequest, RequestOptions } from 'node:http';

/**
 * Replaces `node:http` in Lambda bundles. Importing it evaluates every export, and `WebSocket` loads all of `fetch`:
 * more than half of the start-up time of Node.js.
 */
const http = () => process.getBuiltinModule('node:http');

export default {
  get Agent() {
    return http().Agent;
  },
  get request() {
    return http().request;
  },
};

export const request = (options: RequestOptions): ClientRequest => http().request(options);
export const STATUS_CODES: Readonly<Record<string, string>> = new Proxy(
  {},
  { get: (_, code) => http().STATUS_CODES[String(code)] },
);

/** `undici` reads both when it loads: the default of Node.js, and a body class that we do not use. */
export const maxHeaderSize = 16_384;
export const IncomingMessage = undefined;
