import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { apiDocumentPath, dashboardPages, frontPage, guides } from '#contract/dashboard-config.ts';
import { allRoutes } from '#contract/routes.ts';
import { pagesCode } from '#lib/stacks/edge-stack.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { functionsOf, ofType, pathOf, synthesise } from '../synth.ts';
import { distributionOf } from './distribution.ts';

const { api, data } = await synthesise();
const { originOf, toApi } = distributionOf(api);
const signIns = allRoutes.filter(({ opensSession }) => opensSession);

/** AWS "Restrictions on CloudFront Functions". */
const maxFunctionBytes = 10_240;

describe('the edge', () => {
  test('sends every route of the table to the API, below its stage', () => {
    const patterns = toApi.map(({ PathPattern = '' }) => new RegExp(`^${PathPattern.replace('*', '.*')}$`));
    const lost = allRoutes.filter(({ path }) => !patterns.some((pattern) => pattern.test(path)));
    expect(lost.map(({ path }) => path)).toEqual([]);
    expect(new Set(toApi.map((behaviour) => originOf(behaviour).OriginPath))).toEqual(new Set(['/live']));
    expect(toApi.map(({ PathPattern }) => PathPattern)).toEqual(expect.arrayContaining(['/anthropic', '/anthropic/*']));
  });

  test('sends the country only with sign-in requests, which are all POST and so never cached', () => {
    expect(signIns.length).toBeGreaterThan(3);
    expect(new Set(signIns.map(({ method }) => method))).toEqual(new Set(['POST']));
    const paths = signIns.map(({ path }) => path);
    expect(allRoutes.filter(({ method, path }) => method !== 'POST' && paths.includes(path))).toEqual([]);
    const [[id, policy] = []] = ofType(api, 'AWS::CloudFront::CachePolicy');
    expect(policy!.Properties['CachePolicyConfig']).toMatchObject({
      MinTTL: 0,
      DefaultTTL: 0,
      MaxTTL: 1,
      ParametersInCacheKeyAndForwardedToOrigin: {
        HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['CloudFront-Viewer-Country'] },
      },
    });
    // Before `/api/*`, because the first matching pattern applies.
    expect(toApi.slice(0, paths.length).map(({ PathPattern }) => PathPattern)).toEqual(paths);
    for (const { CachePolicyId } of toApi.slice(0, paths.length)) expect(CachePolicyId).toEqual({ Ref: id });
    const named = [...functionsOf(api)].filter(([, fn]) => JSON.stringify(fn.Properties).includes('COUNTRY_HEADER'));
    expect(named.map(([name]) => name).toSorted()).toEqual(signIns.map((route) => route.id).toSorted());
  });

  test('waits longer than the gateway for every buffered response', () => {
    const plain = allRoutes.map(
      ({ timeoutSeconds, streaming }) => (streaming ? Math.min(timeoutSeconds, 90) : timeoutSeconds) + 1,
    );
    for (const behaviour of toApi) {
      expect(originOf(behaviour).CustomOriginConfig?.OriginReadTimeout).toBeGreaterThan(Math.max(...plain));
    }
  });

  test('permits the page to connect only to itself and to the long audio bucket by its regional name', () => {
    const [[bucket] = []] = ofType(data, 'AWS::S3::Bucket');
    const name = Object.keys(data.outputs).find((output) => output.includes('RegionalDomainName'));
    expect(JSON.stringify(data.outputs[name!])).toContain(`"Fn::GetAtt":["${bucket}","RegionalDomainName"]`);
    const policies = ofType(api, 'AWS::CloudFront::ResponseHeadersPolicy').map(([, part]) => JSON.stringify(part));
    const pages = policies.filter((text) => text.includes('connect-src'));
    expect(pages).toHaveLength(1);
    expect(pages[0]).toMatch(
      /; connect-src 'self' https:\/\/",\{[^{}]*RegionalDomainName[^{}]*\},"; form-action 'self'/,
    );
  });
});

describe('the edge function', () => {
  const codes = ofType(api, 'AWS::CloudFront::Function').map(([, fn]) => [
    pathOf(fn),
    String(fn.Properties['FunctionCode']),
  ]);
  const run = (name: string, request: object, response = { statusCode: 200 }): any => {
    const [, code] = codes.find(([path]) => path?.split('/').includes(name))!;
    return runInNewContext(`${code}; handler(event)`, {
      event: { request: { headers: {}, cookies: {}, ...request }, response, viewer: { ip: '192.0.2.7' } },
    });
  };

  const session = { '__Host-session': { value: 'tas_1' } };

  test.each(dashboardPages)('serves %s as the one document of the dashboard', (uri) => {
    expect(run('Pages', { uri, cookies: session }).uri).toBe('/index.html');
  });

  test('serves the front page at / to a visitor without a session, and every other page the same', () => {
    expect(run('Pages', { uri: '/' }).uri).toBe(frontPage);
    expect(run('Pages', { uri: '/', cookies: { session: { value: 'of another site' } } }).uri).toBe(frontPage);
    expect(run('Pages', { uri: '/keys' }).uri).toBe('/index.html');
  });

  test.each([
    ['/pricing', '/pricing/listing.html'],
    ['/pricing.md', '/pricing/listing.md'],
    ['/docs/openapi.json', '/openapi.json'],
  ])('serves %s from the file %s', (uri, file) => {
    expect(run('Pages', { uri, cookies: session }).uri).toBe(file);
  });

  test.each([
    [false, '/pricing/overview.html'],
    [true, '/pricing/overview-payments.html'],
  ])("serves the prices of the stage's plan table, with packs if it accepts payments (%s)", (payments, file) => {
    expect(pagesCode(null, { planTable: 'overview', payments })).toContain(`"/pricing":"${file}"`);
  });

  test.each([apiDocumentPath, '/config.json', '/assets/main-1.js'])('does not rewrite %s', (uri) => {
    expect(run('Pages', { uri }).uri).toBe(uri);
  });

  test('lists the public files of the build, including those in subfolders', async () => {
    const folder = await testFolder();
    await mkdir(join(folder, 'a'));
    for (const file of ['index.html', 'sources.txt', 'a/chat.md']) await writeFile(join(folder, file), '');
    expect(pagesCode(folder, { planTable: 'listing', payments: false })).toContain(
      'var files = ["/a/chat.md","/index.html","/config.json"];',
    );
    await removeFolder(folder);
  });

  test('fits into the size limit of CloudFront Functions', () => {
    // With the paths of all guides, as in a whole build.
    const files = guides.map((slug) => `"/guides/${slug}.md",`).join('');
    for (const [, code = ''] of codes) expect(Buffer.byteLength(code + files)).toBeLessThan(maxFunctionBytes);
  });

  test('serves the dashboard with 404 for navigation to an unknown path, and with 200 for a page', () => {
    const accept = { value: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const unknown = run('Pages', { uri: '/no-such-page', headers: { accept } });
    expect(unknown.uri).toBe('/index.html');
    expect(run('PageStatus', unknown).statusCode).toBe(404);
    const known = run('Pages', { uri: '/keys', headers: { accept, 'x-unknown-page': { value: 'of the caller' } } });
    expect(run('PageStatus', known).statusCode).toBe(200);
    expect(run('PageStatus', unknown, { statusCode: 304 }).statusCode).toBe(304);
  });

  test('returns 404 in the error envelope for any other request of an unknown path', () => {
    const response = run('Pages', { uri: '/wp-login.php' });
    expect(response.statusCode).toBe(404);
    expect(JSON.parse(response.body.data)).toMatchObject({
      message: 'NOT_FOUND',
      error: true,
      data: null,
      status: 404,
    });
  });

  test('sends the viewer’s address to the API, whatever address the caller sent', () => {
    const request = run('Caller', {
      uri: '/api/auth/login',
      headers: { 'x-caller-address': { value: '203.0.113.1' } },
    });
    expect(request.headers['x-caller-address'].value).toBe('192.0.2.7');
  });
});
