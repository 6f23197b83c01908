import { readdirSync } from 'node:fs';
import { apiReferenceFiles, apiReferencePath } from '#contract/api-reference.ts';
import { dashboardPages, hashedAssets } from '#contract/dashboard-config.ts';
import { errorEnvelope } from '#contract/http/envelope.ts';
import { callerHeader } from '#lib/constructs/api/firewall.ts';

/** Runs at the edge on every request to the API: overwrites the caller's address header with the viewer's address. */
export const callerCode = `function handler(event) {
  event.request.headers['${callerHeader}'] = { value: event.viewer.ip };
  return event.request;
}`;

/** Runs at the edge on every other request: pages of the dashboard are its one document, unknown paths an enveloped 404. */
export function pagesCode(dashboard: string | null): string {
  const files = [
    ...filesIn(dashboard),
    '/config.json',
    ...Object.keys(apiReferenceFiles).map((name) => `${apiReferencePath}/${name}`),
  ];
  const notFound = JSON.stringify(errorEnvelope('NOT_FOUND', 'There is nothing at this path.'));
  return `var pages = ${JSON.stringify(dashboardPages)};
var files = ${JSON.stringify(files)};
function handler(event) {
  var request = event.request;
  var path = request.uri;
  if (pages.includes(path)) request.uri = '/index.html';
  else if (path === '${apiReferencePath}' || path === '${apiReferencePath}/') request.uri = '${apiReferencePath}/index.html';
  else if (!files.includes(path) && !path.startsWith('${hashedAssets}')) return {
    statusCode: 404,
    headers: { 'content-type': { value: 'application/json; charset=utf-8' }, 'cache-control': { value: 'no-store' } },
    body: { encoding: 'text', data: ${JSON.stringify(notFound)} }
  };
  return request;
}`;
}

/** Public files of the build beside its hashed assets. */
const filesIn = (dashboard: string | null) =>
  dashboard === null
    ? ['/index.html']
    : readdirSync(dashboard, { withFileTypes: true })
        .filter((entry) => entry.isFile() && !notPublished.includes(entry.name))
        .map(({ name }) => `/${name}`);

/** Files of the build that are for its own use. */
export const notPublished: readonly string[] = ['sources.txt', '.vite'];
