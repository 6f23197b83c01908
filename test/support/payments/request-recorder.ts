import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface StripeRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Record<string, string>;
  /** A form. */
  readonly body: string;
}

/** Forwards requests to a server of Stripe's API, and keeps one of each kind: route and names of its parameters. */
export class RequestRecorder {
  readonly requests = new Map<string, StripeRequest>();
  #server: Server | undefined;

  async start(target: string): Promise<string> {
    this.#server = createServer((request, response) => {
      void buffer(request).then(async (bytes) => {
        const { method = '', url: path = '' } = request;
        const sent = { method, path, headers: forwarded(request.headers), body: bytes.toString() };
        this.requests.set(kindOf(sent), sent);
        // A lost response is lost on the way back too.
        const reply = await send(target, sent).catch(() => undefined);
        if (!reply) return response.destroy();
        return response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text());
      });
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Method and path of every route, with `{id}` for ids. */
  routes(): string[] {
    return [...new Set(this.requests.values().map(routeOf))].toSorted();
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }
}

export const send = (target: string, { method, path, headers, body }: StripeRequest): Promise<Response> =>
  fetch(target + path, { method, headers, ...(body !== '' && { body }) });

const hopByHop = new Set(['connection', 'content-length', 'host', 'transfer-encoding']);

const forwarded = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (hopByHop.has(name) ? [] : [[name, String(value)]])),
  );

/** Stripe's ids end with at least 14 letters and digits, the words of a path with fewer. */
const routeOf = ({ method, path }: StripeRequest): string => {
  const [route = ''] = path.split('?');
  return `${method} ${route.replaceAll(/\/[a-z_]+_[A-Za-z0-9]{14,}/g, '/{id}')}`;
};

function kindOf(request: StripeRequest): string {
  const [, query = ''] = request.path.split('?');
  const names = [...new URLSearchParams(query).keys(), ...new URLSearchParams(request.body).keys()];
  return `${routeOf(request)} ${names.toSorted().join(' ')}`;
}
