import type { IncomingMessage, ServerResponse } from 'node:http';
import { homePage } from './home-page.ts';
import { foreignRequest } from './local-guard.ts';
import { sendPage } from './send-page.ts';
import type { Status } from './status.ts';

/** Answers what is not the API, and says whether it did. */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** What stands where the API reference will: `/docs`. */
export function createPages(status: () => Status): Pages {
  const pages: ReadonlyMap<string, () => string> = new Map([['/docs', () => homePage(status())]]);

  return (request, response, path) => {
    const render = request.method === 'GET' ? pages.get(path) : undefined;
    if (!render) return false;
    const refusal = foreignRequest(request);
    if (refusal === undefined) sendPage(response, 200, render());
    else sendPage(response, 403, refusal);
    return true;
  };
}
