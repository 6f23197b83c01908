import type { IncomingMessage, ServerResponse } from 'node:http';
import { homePage } from './home-page.ts';
import { foreignRequest } from './local-guard.ts';
import { confirmPage, forgotPasswordPage, resetPasswordPage } from './mail-link-pages.ts';
import { sendPage } from './send-page.ts';
import type { Status } from './status.ts';

/** Answers what is not the API, and says whether it did. */
export type Pages = (request: IncomingMessage, response: ServerResponse, path: string) => boolean;

/** What stands where the dashboard and the API reference will: `/`, `/docs`, and where mails lead. */
export function createPages(status: () => Status): Pages {
  const pages: ReadonlyMap<string, (query: URLSearchParams) => string> = new Map([
    ['/', () => homePage(status())],
    ['/docs', () => homePage(status())],
    ['/confirm', (query: URLSearchParams) => confirmPage(status().apiUrl, query.get('token') ?? '')],
    ['/reset-password', (query: URLSearchParams) => resetPasswordPage(status().apiUrl, query.get('token') ?? '')],
    ['/forgot-password', () => forgotPasswordPage(status().apiUrl)],
  ]);

  return (request, response, path) => {
    const render = request.method === 'GET' ? pages.get(path) : undefined;
    if (!render) return false;
    const refusal = foreignRequest(request);
    const query = new URLSearchParams((request.url ?? '').split('?')[1]);
    if (refusal === undefined) sendPage(response, 200, render(query));
    else sendPage(response, 403, refusal);
    return true;
  };
}
