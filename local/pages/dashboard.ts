import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { glob, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import {
  acceptsPage,
  brotliAssets,
  cacheControl,
  type DashboardConfig,
  dashboardHeaders,
  dashboardPages,
  frontPage,
  hashedAssets,
  notPublished,
  originMark,
  publicFiles,
  withOrigin,
} from '#contract/dashboard-config.ts';
import type { Closers } from '../shared/closers.ts';
import { htmlPage, type Pages, sendPage } from '../shared/pages.ts';

interface Asset {
  readonly body: Buffer;
  readonly type: string;
  readonly cache: string;
  /** Compressed bodies, created on first use. */
  readonly compressed: Map<Coding, Promise<Buffer>>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

const pagePaths: ReadonlySet<string> = new Set(dashboardPages);
/** Paths of other handlers. An unknown path below them is not a page either. */
const elsewhere = /^\/(?:api|v1|openai|anthropic|_local)(?:\/|$)/;

interface DashboardOptions extends Pick<DashboardConfig, 'demoSpeechFormats' | 'planTable' | 'payments'> {
  /** The service's own origin. */
  readonly origin: string;
  /** Name of the session cookie. */
  readonly sessionCookie: string;
  /** URL for uploads of long audio. */
  readonly storage: string;
  readonly folder?: string;
}

/** Serves the dashboard's pages and files from memory, as built when the service started. */
export async function openDashboard(options: DashboardOptions): Promise<Pages> {
  const { origin, sessionCookie, storage, demoSpeechFormats, planTable, payments, folder = dashboardFolder } = options;
  const headers = dashboardHeaders({ google: false, storage });
  const configAsset = assetOf({
    googleClientId: null,
    local: true,
    demoSpeechFormats,
    planTable,
    salesEmail: 'sales@example.com',
    storePrompts: true,
    payments,
  });
  const assets = await readAssets(folder, origin);
  const index = assets.get('/index.html');
  const files: ReadonlyMap<string, string> = new Map(Object.entries(publicFiles({ planTable, payments })));
  const hasSession = new RegExp(`(?:^|; *)${sessionCookie}=`);

  const fileAt = (path: string, cookies = ''): Asset | undefined => {
    if (path === '/config.json') return configAsset;
    if (path === '/') return hasSession.test(cookies) ? undefined : assets.get(frontPage);
    return assets.get(files.get(path) ?? path);
  };

  return (request, response, path) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const file = fileAt(path, request.headers.cookie);
    const isPage = pagePaths.has(path);
    const isUnknown = !file && !isPage && acceptsPage(request.headers.accept) && !elsewhere.test(path);
    if (file) void sendAsset(request, response, { status: 200, asset: file, headers });
    else if (index && (isPage || isUnknown))
      void sendAsset(request, response, { status: isPage ? 200 : 404, asset: index, headers });
    else if (isPage) sendPage(response, 503, notBuilt);
    else return false;
    return true;
  };
}

const assetOf = (config: DashboardConfig): Asset => ({
  body: Buffer.from(JSON.stringify(config)),
  type: 'application/json',
  cache: cacheControl.other,
  compressed: new Map(),
});

async function readAssets(folder: string, origin: string): Promise<ReadonlyMap<string, Asset>> {
  const assets = new Map<string, Asset>();
  // `**` omits folders whose names begin with a dot.
  for await (const entry of glob(['**', '.well-known/*'], { cwd: folder, withFileTypes: true })) {
    const extension = extname(entry.name);
    const type = types[extension];
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file)}`;
    if (!entry.isFile() || type === undefined || notPublished.includes(path.split('/')[1] ?? '')) continue;
    const cache = path.startsWith(hashedAssets) ? cacheControl.hashed : cacheControl.other;
    const content = await readFile(file);
    const body = withOrigin.has(extension) ? Buffer.from(content.toString().replaceAll(originMark, origin)) : content;
    // Builds of earlier versions have none. They remain if a new build fails.
    const brotli = path.startsWith(hashedAssets)
      ? await readFile(join(folder, brotliAssets, path.slice(hashedAssets.length))).catch(() => undefined)
      : undefined;
    assets.set(path, { body, type, cache, compressed: new Map(brotli && [['br', Promise.resolve(brotli)]]) });
  }
  return assets;
}

interface Sent {
  readonly status: number;
  readonly asset: Asset;
  readonly headers: Readonly<Record<string, string>>;
}

async function sendAsset(
  { headers: { 'accept-encoding': accepted } }: IncomingMessage,
  response: ServerResponse,
  { status, asset, headers }: Sent,
): Promise<void> {
  const coding = codingFor(accepted, asset);
  const body = coding === undefined ? asset.body : await compressedBody(asset, coding);
  response.writeHead(status, {
    ...headers,
    'content-type': asset.type,
    'content-length': body.byteLength,
    'cache-control': asset.cache,
    vary: 'accept-encoding',
    ...(coding !== undefined && { 'content-encoding': coding }),
  });
  response.end(body);
}

function compressedBody({ body, compressed }: Asset, coding: Coding): Promise<Buffer> {
  const known = compressed.get(coding) ?? compress(coding, body);
  compressed.set(coding, known);
  return known;
}

const notBuilt = htmlPage({
  title: 'The dashboard is not built',
  style: `
main { max-width: 54rem; margin: 0 auto; padding: 2.5rem 1rem; }
h1 { margin: 0 0 1.25rem; font-size: 1.8rem; letter-spacing: -.015em; }
p { margin: 0; padding: 1.25rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); }
`,
  body: `<main>
<h1>The dashboard is not built</h1>
<p>Everything else works: the API is up, and mails are in the <a href="/_local/inbox">inbox</a>.
Run <code>npm run build</code> to see why, then start the service again.</p>
</main>`,
});

/** Content codings of CloudFront, in order of preference (CloudFront, "Serving compressed files"). */
const codings = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
} as const;
export type Coding = keyof typeof codings;

/** Takes a few ms per 100 KB. The build compresses hashed files better, which takes longer. */
const brotliQuality = 6;
/** CloudFront also compresses only files of at least 1,000 bytes. */
const minBytes = 1000;
const compressible = /^(?:text\/|application\/json|image\/svg)/;

/** Selects the coding by Accept-Encoding (RFC 9110, 12.5.3). Undefined for none. */
function codingFor(
  accepted: string | readonly string[] | undefined,
  { type, body, compressed }: Asset,
): Coding | undefined {
  if (compressed.size === 0 && (body.byteLength < minBytes || !compressible.test(type))) return undefined;
  const taken = new Set(
    String(accepted ?? '')
      .split(',')
      .map((part) =>
        part
          .trim()
          .toLowerCase()
          .split(/(?<!\s)\s*;\s*/),
      )
      .filter(([, quality = 'q=1']) => Number(quality.slice('q='.length)) > 0)
      .map(([name]) => name),
  );
  if (taken.has('br')) return 'br';
  return taken.has('gzip') ? 'gzip' : undefined;
}

const compress = (coding: Coding, body: Buffer): Promise<Buffer> => codings[coding](body);

const root = join(import.meta.dirname, '../..');
const offer = process.env['OFFER'] ?? '';
const ofOffer = offer && `-${createHash('sha256').update(offer).digest('hex').slice(0, 12)}`;
/** Folder of the dashboard built with the current offer. Its stamp file contains the hash of the sources. */
export const dashboardFolder = join(root, 'dashboard', `dist${ofOffer}`);
export const stampFile = 'sources.txt';

const sources = [
  'dashboard/{src,public,content,locales}/**',
  'dashboard/*.*',
  'functions/contract/**',
  'docs/openapi.json',
  'docs/{api,credits,webhooks}.md',
  'docs/guides/**',
  'bin/build.ts',
  'bin/openapi/**',
  'package-lock.json',
];

export async function dashboardSources(): Promise<string> {
  const entries = await Array.fromAsync(glob(sources, { cwd: root, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash
      .update(file.slice(root.length))
      .update('\0')
      .update(await readFile(file))
      .update('\0');
  return hash.digest('hex');
}

export async function isDashboardBuilt(): Promise<boolean> {
  const stamp = await readFile(join(dashboardFolder, stampFile), 'utf8').catch(() => '');
  return stamp !== '' && stamp === (await dashboardSources());
}

/**
 * Builds the dashboard in a separate process if its sources changed. A failed build is logged. Closing ends the
 * process.
 */
export async function buildDashboard(log: (line: string) => void, closers: Closers): Promise<void> {
  if (await isDashboardBuilt()) return;
  const child = spawn(process.execPath, ['bin/build.ts'], { cwd: root, stdio: 'ignore' });
  let isEnded = false;
  closers.add({
    close: () => {
      isEnded = true;
      child.kill();
    },
  });
  const [code] = await once(child, 'close').catch(() => [undefined]);
  if (code !== 0 && !isEnded)
    log('The dashboard could not be built. Everything else works. Run npm run build to see the error.');
}
