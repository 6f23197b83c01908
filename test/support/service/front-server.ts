import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { afterEach, beforeEach } from 'vitest';
import { defineRoute, type Route } from '#contract/http/route.ts';
import { installLambdaRuntime, type LambdaHandler } from '#local/gateway/lambda.ts';
import { startFrontServer } from '#local/gateway/socket.ts';

const open = { summary: '', credential: 'none', uses: {} } as const;
const priced = { service: 'chat', capability: 'chat' } as const;
const routes: readonly Route[] = [
  defineRoute({ ...open, id: 'echo', method: 'POST', path: '/api/echo' }),
  defineRoute({ ...open, id: 'param', method: 'GET', path: '/api/things/{id}' }),
  defineRoute({ ...open, id: 'literal', method: 'GET', path: '/api/things/all' }),
  defineRoute({ ...open, id: 'slow', method: 'GET', path: '/api/slow', timeoutSeconds: 0.1 }),
  defineRoute({ ...open, id: 'slow-model', method: 'GET', path: '/v1/slow', timeoutSeconds: 0.1, priced }),
];

export type Handle = (event: APIGatewayProxyEvent, context: Context) => unknown;
export const buffered = (handle: Handle) => handle as LambdaHandler;

export const json = (event: unknown) => ({ statusCode: 200, body: JSON.stringify(event) });

export const envelopeOf = (body: Buffer) => JSON.parse(body.toString());

/** A front server with handlers chosen by the test. */
export function useFrontServer() {
  installLambdaRuntime();
  let handlers: Record<string, LambdaHandler>;
  let log: string[];
  let access: string[];
  let ended: number;
  let server: Awaited<ReturnType<typeof startFrontServer>>;

  beforeEach(async () => {
    log = [];
    access = [];
    ended = 0;
    handlers = { echo: buffered(json), param: buffered(json), literal: buffered(() => json('literal')) };
    handlers['unknown-route'] = buffered((event) => ({ ...json(event), statusCode: 404 }));
    server = await startFrontServer({
      port: 0,
      routes,
      handlerOf: async (id) => handlers[id] ?? Promise.reject(new Error(`cannot find module ${id}`)),
      log: (line) => log.push(line),
      access: (line) => access.push(line),
      onEnd: () => void (ended += 1),
    });
  });
  afterEach(() => server.close());

  function send(
    method: string,
    path: string,
    headers: Record<string, string | string[]> = {},
    body?: string | Buffer,
  ): ClientRequest {
    const request = httpRequest({ port: server.port, host: '127.0.0.1', method, path, headers, agent: false });
    request.end(body);
    return request;
  }

  async function call(...parameters: Parameters<typeof send>) {
    const [response] = (await once(send(...parameters), 'response')) as [IncomingMessage];
    return { response, status: response.statusCode, headers: response.headers, body: await buffer(response) };
  }

  return {
    get ended() {
      return ended;
    },
    get handlers() {
      return handlers;
    },
    set handlers(value) {
      handlers = value;
    },
    get log() {
      return log;
    },
    get access() {
      return access;
    },
    get server() {
      return server;
    },
    send,
    call,
  };
}
