import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { guides, originMark } from '#contract/dashboard-config.ts';
import { defaultOffer } from '#contract/offer/default-offer.ts';
import { loadOffer } from '#lib/offer.ts';
import { unescapeHtml } from '#local/shared/pages.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { listed } from '#test/listed.ts';
import { useTestService } from '#test/service/service.ts';
import { requests } from '../../dashboard/content/public/front.ts';

const service = useTestService({ buildDashboard: true });
const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  fetch(service.origin + path, { method, headers });

const [page, markdown, text] = ['html', 'markdown', 'plain'].map((type) => `text/${type}; charset=utf-8`);
const files: readonly (readonly [path: string, type: string | undefined, content: RegExp])[] = [
  ['/', page, /<h1>One API for chat, translation, speech and text analysis\.<\/h1>/],
  ['/pricing', page, /<h1>Models and pricing<\/h1>/],
  ['/pricing.md', markdown, /^# Models and pricing\n/],
  ['/llms.txt', text, /^# Text AI platform\n\n> One API for /],
  ['/robots.txt', text, /^User-agent: \*\nDisallow: \/register\n/],
  ['/openapi.json', 'application/json', /^\{\n {2}"openapi": "3\.1\.0"/],
  ['/docs/openapi.json', 'application/json', /^\{\n {2}"openapi": "3\.1\.0"/],
  ['/favicon.svg', 'image/svg+xml', /^<svg /],
  ...guides.map((slug) => [`/guides/${slug}.md`, markdown, /^# [A-Z]/] as const),
];

const expectedReply: Readonly<Record<string, RegExp>> = {
  chat: /"role":"assistant"/,
  completion: /"object":"text_completion"/,
  embeddings: /"embedding":\[/,
  speech: /^$/,
  transcription: /"text":"Good morning/,
};

describe('the public files', () => {
  it.each(files)('serve %s as %s to a visitor without a session', async (path, type, content) => {
    const reply = await get(path, { accept: '*/*' });
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control')]).toEqual([
      200,
      type,
      'no-cache',
    ]);
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    const body = await reply.text();
    expect(body).toMatch(content);
    expect(body).not.toContain('{{');
    expect((await get(path, {}, 'HEAD')).status).toBe(200);
  });

  it('link to one another by whole addresses that exist', async () => {
    const names = ['/llms.txt', ...guides.map((slug) => `/guides/${slug}.md`)];
    const texts = await Promise.all(names.map(async (path) => (await get(path)).text()));
    const links = new Set(texts.flatMap((one) => [...one.matchAll(/\]\(([^)#\s]+)/g)].map(([, href]) => href ?? '')));
    const own = [...links].filter((href) => href.startsWith(service.origin));
    expect(own.length).toBeGreaterThan(guides.length);
    for (const href of own) expect([href, (await fetch(href)).status]).toEqual([href, 200]);
    expect([...links].filter((href) => !href.startsWith('https://') && !own.includes(href))).toEqual([]);
  });

  it('name this address in every example', async () => {
    const front = await (await get('/')).text();
    expect(front).toContain(`curl ${service.origin}/v1/chat/completions`);
    expect(front).toContain(`${service.origin}/openai/v1`);
    expect(await (await get('/guides/quick-start.md')).text()).toContain(`curl -s ${service.origin}/v1/`);
  });

  it('show requests that work for every capability, the first of them on the front page', async () => {
    const { key } = await service.person();
    const folder = await testFolder();
    const env = { ...process.env, API_KEY: key };
    for (const [capability, request] of Object.entries(requests)) {
      const model = defaultOffer.models.find(({ capabilities }) => capabilities.some((one) => one === capability))!.id;
      const command = request(model).replaceAll(originMark, service.origin);
      const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl', 'curl -sf')], {
        cwd: folder,
        env,
      });
      expect([capability, stdout]).toEqual([capability, expect.stringMatching(expectedReply[capability]!)]);
    }
    expect((await stat(join(folder, 'speech.mp3'))).size).toBeGreaterThan(1000);
    expect(plainText(await (await get('/')).text())).toContain(
      plainText(requests.chat('svc-1').replace(originMark, service.origin)),
    );
    await removeFolder(folder);
  });

  it('load at most 100 KB with a page, compressed and without other origins', async () => {
    for (const path of ['/', '/pricing']) {
      const reply = await get(path, { 'accept-encoding': 'br' });
      const content = await reply.text();
      const loaded = [...content.matchAll(/<(?:script|link|img)[^>]*?(?:src|href)="([^"]+)"/g)]
        .map(([tag, url]) => ({ tag, url: url ?? '' }))
        .filter(({ tag }) => !tag.includes('alternate'));
      expect(loaded.map(({ url }) => url).toSorted()).toEqual(['/copy.js', '/favicon.ico', '/favicon.svg']);
      const replies = [reply, ...(await Promise.all(loaded.map(({ url }) => get(url))))];
      const bytes = replies.reduce((sum, { headers }) => sum + Number(headers.get('content-length')), 0);
      expect([reply.headers.get('content-encoding'), bytes > 1000, bytes < 100_000]).toEqual(['br', true, true]);
    }
  });

  it('describe a page for link previews, with a picture of the declared size', async () => {
    const front = await (await get('/')).text();
    const tag = (name: string) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]+)"`).exec(front)?.[1];
    expect(tag('description')).toBe(tag('og:description'));
    expect([tag('og:title'), tag('og:url')]).toEqual(['Text AI platform', `${service.origin}/`]);
    const picture = await fetch(tag('og:image') ?? '');
    expect(picture.headers.get('content-type')).toBe('image/png');
    const png = Buffer.from(await picture.arrayBuffer());
    expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    const size = [png.readUInt32BE(16), png.readUInt32BE(20)];
    expect(size.map(String)).toEqual([tag('og:image:width'), tag('og:image:height')]);
    expect(size).toEqual([1200, 630]);
    const rows = inflateSync(png.subarray(41, 41 + png.readUInt32BE(33)));
    expect(rows).toHaveLength(630 * (1 + 4 * 1200));
  });

  it('keep crawlers from the dashboard only', async () => {
    const closed = (await (await get('/robots.txt')).text())
      .split('\n')
      .flatMap((line) => line.split('Disallow: ')[1] ?? []);
    expect(closed).toEqual(expect.arrayContaining(['/keys', '/login', '/operator', '/api/', '/v1/']));
    for (const [path] of files) expect(closed.filter((prefix) => path.startsWith(prefix))).toEqual([]);
  });

  it('are replaced by the dashboard at / for a session cookie, and at no other address', async () => {
    const cookie = 'device=d; session=tas_1';
    expect(await (await get('/', { cookie })).text()).toContain('<div id="root">');
    expect(await (await get('/', { cookie: 'device=session=tas_1; a_session=1' })).text()).toContain('<h1>');
    expect(await (await get('/pricing', { cookie })).text()).toContain('<h1>Models and pricing</h1>');
    expect(await (await get('/docs')).text()).toContain('<div id="root">');
  });

  it.each(
    listed('/pricing/ /prices.md /guides/none.md /guides/ /sources.txt /.vite/manifest.json /.well-known/security.txt'),
  )('do not include %s: an enveloped 404', async (path) => {
    const reply = await get(path);
    expect([reply.status, await reply.json()]).toEqual([404, expect.objectContaining({ message: 'NOT_FOUND' })]);
  });
});

/** The public files of an offer, by path, from its docs as in bin/build.ts. */
async function filesOf(file: string): Promise<Readonly<Record<string, string>>> {
  const docs = await testFolder();
  const script = `import { writeDocsOfOffer } from './bin/openapi/document.ts';
await writeDocsOfOffer(process.env.DOCS_FOLDER);
const { publicContent } = await import('./dashboard/content/vite-plugins.ts');
const files = [...(await publicContent(new Date('2026-11-27')))].map(([path, content]) => [path, String(content)]);
process.stdout.write(JSON.stringify(Object.fromEntries(files)));`;
  const offer = JSON.stringify(loadOffer(file, { isLocal: true }));
  const env = { ...process.env, OFFER: offer, DOCS_FOLDER: docs };
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 2 ** 26 });
  await removeFolder(docs);
  return JSON.parse(stdout);
}

const plainText = (html = ''): string =>
  unescapeHtml(
    html.replaceAll(/<(?:style|script)[^]*?<\/(?:style|script)>/g, '').replaceAll(/<[^>]*>/g, ' '),
  ).replaceAll(/\s+/g, ' ');

describe('the public files of an offer with open models, some of which change', () => {
  let content: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const folder = await testFolder();
    const file = join(folder, 'offer.json');
    const offer = JSON.parse(await readFile('examples/offers/open-models.json', 'utf8'));
    const [large] = offer.models;
    const dated = (id: string, dates: object) => ({ ...large, id, aliases: [], title: id, description: id, ...dates });
    offer.models.push(
      dated('aging', { deprecatedFrom: '2026-06-01', retiredFrom: '2027-01-01', replacedBy: 'acme-large' }),
      dated('next', { availableFrom: '2027-02-01' }),
      dated('cheaper', { priceChanges: [{ effectiveFrom: '2027-03-01', input: 1.5, output: 6 }] }),
      dated('old', { retiredFrom: '2026-11-27' }),
      dated('secret', { minPlan: 'internal' }),
    );
    const [, team] = offer.plans;
    offer.plans.push(
      { ...team, name: 'company', title: 'Company', priceUsd: null, recommended: false },
      { ...team, name: 'internal', title: 'Internal', priceUsd: 1, recommended: false, hidden: true },
    );
    await writeFile(file, JSON.stringify(offer));
    content = await filesOf(file);
    await removeFolder(folder);
  });

  it('name nothing of the default offer', () => {
    const own = Object.entries(content);
    expect(own.length).toBeGreaterThan(20);
    for (const [path, one] of own)
      expect([path, /svc-|Text AI platform|Freemium|_pass|SMME|#1f7551/.exec(one)]).toEqual([path, null]);
  });

  it('contain its name, color, links and support address', () => {
    const front = content['/front.html']!;
    expect(front).toContain('<title>Acme AI</title>');
    expect(front).toContain('--brand: #0a5c7a');
    expect(front).toContain('href="https://acme.example/terms"');
    expect(front).toContain('href="mailto:help@acme.example"');
    expect(content['/llms.txt']).toContain('- [Privacy](https://acme.example/privacy)');
    expect(plainText(front)).toContain('50 credits per month for free.');
    expect(plainText(front)).not.toMatch(/Text-to-speech|Transcription|Messages/);
  });

  it('describe its models and plans in guides and the API document', () => {
    expect(JSON.parse(content['/openapi.json']!).info.title).toBe('Acme AI');
    expect(content['/openapi.json']).toContain('"model": "acme-large"');
    const limits = content['/guides/plans-and-limits.md'];
    expect(limits).toContain('| `acme-embed` | embeddings | 8,192 | 1,024 | `free` |');
    expect(limits).toContain('| `team` | 20 | 2,500 | 600 | 50 | no | yes |');
    expect(content['/guides/webhooks.md']).toContain('Plans from `team` up include webhooks');
    expect(limits).not.toContain('PLAN_TABLE');
  });

  it('include no guide about services that are not sold, and no link to one', () => {
    expect(content).not.toHaveProperty(['/guides/audio.md']);
    const texts = Object.entries(content).filter(([path]) => path.endsWith('.md') || path === '/llms.txt');
    const links = texts.flatMap(([, text]) =>
      [...text.matchAll(/\{\{origin\}\}(\/guides\/[\w-]+\.md)/g)].map(([, path]) => path),
    );
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((path) => path !== undefined && !(path in content))).toEqual([]);
  });

  it('contain its prices by token, plans and packs', () => {
    const prices = plainText(content['/pricing/listing.html']);
    expect(prices).toContain('Acme Large acme-large The best answers; tools and long documents.');
    expect(prices).toContain(
      '131,072 tokens 32,768 tokens Free 2 credits per million input tokens 0.5 credits per million cached input tokens 8 credits per million output tokens',
    );
    expect(prices).toContain('Team Recommended $20.00 per month 2,500 credits per month 600 calls per minute');
    expect(prices).not.toContain('Credit packs');
    expect(plainText(content['/pricing/listing-payments.html'])).toContain('1,000 credits: $10.00');
    expect(content['/pricing/listing-payments.md']).toContain('- 1,000 credits: $10.00');
    // Its models have prices of their own.
    expect(prices).not.toContain('per completion');
    expect(content['/pricing/listing.md']).toContain(
      '| Team (recommended) | $20.00 per month | 2,500 credits per month;',
    );
  });

  it('name a contact for security reports that expires within a year', () => {
    expect(content['/.well-known/security.txt']).toBe(
      'Contact: mailto:help@acme.example\nExpires: 2027-11-26T00:00:00.000Z\nPreferred-Languages: en\nCanonical: {{origin}}/.well-known/security.txt\n',
    );
  });

  it('contain the dates and later prices of its models until they are retired', () => {
    const text = plainText(content['/pricing/listing.html']);
    expect(text).toContain('Deprecated from 1 Jun 2026; use acme-large Retired from 1 Jan 2027');
    expect(text).toContain('Available from 1 Feb 2027');
    expect(text).toContain(
      'From 1 Mar 2027: 1.5 credits per million input tokens, 6 credits per million output tokens',
    );
    expect(text).not.toContain('old');
  });

  it('omit hidden plans with their models, and lead to sales for a plan without a price', () => {
    expect(plainText(content['/pricing/listing.html'])).not.toMatch(/Internal|secret/);
    expect(plainText(content['/pricing/listing.html'])).toMatch(/Company Custom .*Contact sales/);
    expect(content['/pricing/listing.html']).toContain('href="mailto:help@acme.example?subject=Company%20plan"');
  });
});

describe('the public files of an offer with speech only', () => {
  let content: Readonly<Record<string, string>>;
  beforeAll(async () => {
    content = await filesOf('examples/offers/speech.json');
  });

  it('advertise speech and show a request for it, and no other service', () => {
    const front = plainText(content['/front.html']);
    expect(front).toContain('One API for speech.');
    expect(front).toContain('curl {{origin}}/openai/v1/audio/speech');
    expect(front).not.toMatch(/Agents|Embeddings|Translation|Webhooks/);
    const prices = plainText(content['/pricing/listing.html']);
    expect(prices).toContain('20 credits per started 1,000 characters');
    expect(prices).not.toMatch(/SMS|Translation|webhooks/i);
  });

  it('have no line for a missing contact', () => {
    expect(Object.keys(content)).not.toContain('/.well-known/security.txt');
    expect(content['/front.html']).not.toContain('mailto:');
    expect(content['/llms.txt']).not.toMatch(/Support|Optional/);
  });
});
