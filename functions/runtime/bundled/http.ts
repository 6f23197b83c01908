import type { ClientRequest, RequestOptions } from 'node:http';

/**
 * `node:http` in a function's code, loaded when a client of the SDK first reads its parts. An ES module's import of it would
 * read every export, and the one called WebSocket loads the whole of `fetch`: more than half of what Node.js takes to start.
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

/** The names that anything in the code imports; the build fails where one is missing. */
export const request = (options: RequestOptions): ClientRequest => http().request(options);
export const STATUS_CODES: Readonly<Record<string, string>> = new Proxy(
  {},
  { get: (_, code) => http().STATUS_CODES[String(code)] },
);

/** These two `undici` reads when it is loaded: Node.js' default, and the class of bodies that we have none of. */
export const maxHeaderSize = 16_384;
export const IncomingMessage = undefined;
