import { sendJson } from '../shared/loopback.ts';
import type { Pages } from '../shared/pages/pages.ts';
import { apiHandler } from './handlers.ts';
import type { LambdaHandler } from './lambda-runtime.ts';

/** What requests meet from the moment the port is taken: API calls wait for the start, pages respond with 503 meanwhile. */
export interface Gate {
  readonly handlerOf: (id: string) => Promise<LambdaHandler>;
  readonly pages: Pages;
  open(pages: Pages): void;
}

const starting: Pages = (_request, response, path) => {
  if (path.startsWith('/api/') || path.startsWith('/v1/') || path.startsWith('/openai/')) return false;
  sendJson(response, 503, { ready: false, error: 'The service is starting.' }, { 'retry-after': '1' });
  return true;
};

export function createGate(): Gate {
  const opened = Promise.withResolvers<void>();
  let current = starting;

  async function handlerOf(id: string): Promise<LambdaHandler> {
    await opened.promise;
    return apiHandler(id);
  }

  function open(pages: Pages): void {
    current = pages;
    opened.resolve();
  }

  return { handlerOf, pages: (...parameters) => current(...parameters), open };
}
