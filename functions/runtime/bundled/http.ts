/**
 * `node:http` in a function's code. An ES module's import of it reads every export, and the one called WebSocket loads the
 * whole of `fetch`: more than half of what Node.js takes to start. The names are those that anything in the code imports; the
 * build fails where one is missing.
 */
const http = process.getBuiltinModule('node:http');

export default http;
export const { Agent, IncomingMessage, maxHeaderSize, request, STATUS_CODES } = http;
