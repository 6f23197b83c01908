import type { IncomingMessage } from 'node:http';

const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Why a request to what only this machine may see is refused, or undefined when it is not. A page of another site can
 * reach 127.0.0.1 through the browser: by a name of its own that resolves to it (DNS rebinding), or across origins.
 */
export function foreignRequest({ headers }: IncomingMessage): string | undefined {
  const host = headers.host ?? '';
  if (!loopbackNames.has(URL.parse(`http://${host}`)?.hostname ?? ''))
    return 'The Host header must be 127.0.0.1 or localhost.';
  if (headers.origin !== undefined && headers.origin !== `http://${host}`)
    return 'Pages of other origins may not use this.';
  return undefined;
}
