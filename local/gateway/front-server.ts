import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { binaryTypesOf } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import { unknownRouteId } from '#contract/routes.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import { foreignRequest } from '../shared/local-guard.ts';
import { BodyTooLarge, readBody, sendJson } from '../shared/loopback.ts';
import { described } from '../shared/problems.ts';
import { gatewayEvent } from './gateway-event.ts';
import { sendError } from './gateway-response.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { invoke, type RouteFunction } from './invoke.ts';
import type { LambdaHandler } from './lambda-runtime.ts';
import { routeMatcher } from './route-match.ts';

export interface FrontServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** The handler of a route's id, or of `unknownRouteId`. While it waits, so does the request. */
  readonly handlerOf: (id: string) => Promise<LambdaHandler>;
  /** Serves what is not the API; false where it does not. */
  readonly pages?: (request: IncomingMessage, response: ServerResponse, path: string) => boolean;
  /** Logs every failed function, and every request in one line. */
  readonly log?: (line: string) => void;
  readonly access?: (line: string) => void;
}

/** Milliseconds for what has no connection any more. */
const settlingMs = 2000;

/** The largest payload that API Gateway passes to a function (AWS "Amazon API Gateway quotas", payload size). */
const maxBodyBytes = 10 * 1024 * 1024;

/**
 * API Gateway's part on one machine: HTTP in, proxy events to handlers, their responses out. Loopback only. A function goes on when its
 * reader has left, as on Lambda; closing leaves those that still run a moment more to settle.
 */
export async function startFrontServer(options: FrontServerOptions): Promise<HttpServer> {
  const match = routeMatcher(options.routes);
  const binaryTypes = new Set(binaryTypesOf(options.routes));
  const log = options.log ?? (() => undefined);
  const running = new Set<Promise<void>>();

  function functionOf(route: Route | undefined): RouteFunction {
    const id = route?.id ?? unknownRouteId;
    return {
      id,
      timeoutSeconds: route?.timeoutSeconds ?? 28,
      waitsForModel: route?.priced !== undefined,
      load: () => options.handlerOf(id),
    };
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path, query] = splitTarget(request.url ?? '/');
    const foreign = foreignRequest(request, path);
    if (foreign !== undefined) return sendForeign(response, path, foreign);
    if (options.pages?.(request, response, path)) return;
    const requestId = randomUUID();
    const body = await readBody(request, maxBodyBytes).catch(unlessTooLarge);
    if (!body) return sendError(response, path, tooLarge, requestId);
    if (decoded(path) === undefined) return sendError(response, path, badPath, requestId);
    const method = request.method ?? 'GET';
    const found = match(method, path);
    const event = gatewayEvent({
      method,
      path,
      query,
      rawHeaders: request.rawHeaders,
      sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
      body,
      isBinary: binaryTypes.has(mediaType(request)),
      requestId,
      resource: found?.route.path ?? '/{proxy+}',
      pathParameters: found ? decodedValues(found.rawParameters) : { proxy: path.slice(1) },
      at: new Date(),
    });
    const invocation = invoke(functionOf(found?.route), event, response, log);
    running.add(invocation);
    await invocation.finally(() => running.delete(invocation));
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    respond(request, response).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return;
      log(`the front server failed: ${described(error)}`);
      if (response.headersSent) response.destroy();
      else sendError(response, request.url ?? '', failed, randomUUID());
    });
  }

  const server = await startHttpServer({
    port: options.port,
    serve,
    ...(options.access && { access: options.access }),
  });

  async function close(graceMs = 0): Promise<void> {
    await server.close(graceMs);
    await Promise.race([Promise.allSettled(running), sleep(Math.min(graceMs, settlingMs), undefined, { ref: false })]);
  }

  return { ...server, close };
}

const tooLarge: Refusal = {
  code: 'PAYLOAD_TOO_LARGE',
  detail: `The body is larger than ${maxBodyBytes} bytes.`,
};
const badPath: Refusal = {
  code: 'INVALID_FORMAT',
  detail: 'The path has a percent sign that is not part of an encoded character.',
};
const failed: Refusal = { code: 'INTERNAL_ERROR', detail: 'Something went wrong on our side.' };

/** 403 and not 421, on which a client may try again by itself; and the table of error codes is closed. */
function sendForeign(response: ServerResponse, path: string, detail: string): void {
  if (path === '/_local' || path.startsWith('/_local/')) sendJson(response, 403, { error: detail });
  else sendError(response, path, { code: 'INSUFFICIENT_PERMISSIONS', detail }, randomUUID());
}

function unlessTooLarge(error: unknown): undefined {
  if (!(error instanceof BodyTooLarge)) throw error;
}

/** Path and query; a proxy-style target, which names the host too, loses it. */
function splitTarget(target: string): [path: string, query: string] {
  const local = target.replace(/^https?:\/\/[^/?]*/i, '');
  const mark = local.indexOf('?');
  return mark === -1 ? [local, ''] : [local.slice(0, mark), local.slice(mark + 1)];
}

const mediaType = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function decodedValues(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, decoded(value) ?? value]));
}
