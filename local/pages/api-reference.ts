import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { apiReferenceFiles, apiReferenceHeaders, apiReferencePath } from '#contract/api-reference.ts';
import type { Pages } from '../shared/pages.ts';

const root = join(import.meta.dirname, '../..');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

/** Serves the API reference from memory. Only names of the map are files, so no path leads out of them. */
export async function openApiReference(): Promise<Pages> {
  const files = new Map<string, { body: Buffer; type: string }>();
  for (const [name, source] of Object.entries(apiReferenceFiles)) {
    const type = types[extname(name)] ?? 'application/octet-stream';
    files.set(`${apiReferencePath}/${name}`, { body: await readFile(join(root, source)), type });
  }
  const index = files.get(`${apiReferencePath}/index.html`);

  return (request, response, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const file = path === apiReferencePath || path === `${apiReferencePath}/` ? index : files.get(path);
    if (!file) return false;
    const { body, type } = file;
    response.writeHead(200, { ...apiReferenceHeaders, 'content-type': type, 'content-length': body.byteLength });
    response.end(body);
    return true;
  };
}
