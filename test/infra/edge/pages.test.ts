import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { cacheControl } from '#contract/dashboard-config.ts';
import { routeGroups } from '#contract/routes.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { synthesiseNow } from '../stacks.ts';
import { ofType, synthesise } from '../synth.ts';

const dashboard = await testFolder();
afterAll(() => removeFolder(dashboard));
mkdirSync(join(dashboard, 'assets'));
for (const file of ['index.html', 'favicon.svg', 'assets/a.js']) writeFileSync(join(dashboard, file), 'x');
const { api, own } = synthesiseNow({ dashboard });
const top = own['text-ai-live-api']!.Resources;

/** The logical id of a stack nested in the API's. */
const nested = (name: string) => idAt(`text-ai-live-api/${name}.NestedStack/${name}.NestedStackResource`);

function idAt(path: string): string {
  const found = Object.entries(top).find(([, { Metadata }]) => Metadata?.['aws:cdk:path'] === path);
  if (!found) throw new Error(`nothing is at ${path}`);
  return found[0];
}

const earlier = new Map<string, Set<string>>();

/** All direct and indirect dependencies of a resource of the stack. */
function before(id: string): Set<string> {
  const known = earlier.get(id) ?? new Set(directlyBefore(id).flatMap((ref) => [ref, ...before(ref)]));
  earlier.set(id, known);
  return known;
}

function directlyBefore(id: string): string[] {
  const { DependsOn = [], Properties } = top[id]!;
  const mentioned = [...JSON.stringify(Properties).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(([, ref]) => ref!);
  return [...[DependsOn].flat(), ...mentioned].filter((ref) => ref in top);
}

const published = ofType(api, 'Custom::CDKBucketDeployment').map(([id, { Properties, DependsOn = [] }]) => ({
  id,
  after: [DependsOn].flat(),
  sources: (Properties['SourceObjectKeys'] as unknown[]).length,
  prune: Properties['Prune'],
  cache: (Properties['SystemMetadata'] as Record<string, string>)['cache-control'],
  type: (Properties['SystemMetadata'] as Record<string, string>)['content-type'],
  include: Properties['Include'],
  exclude: Properties['Exclude'],
  markers: Properties['SourceMarkers'],
}));
const [hashed, others, markdown, texts, documents] = ['Hashed', 'Others', 'Markdown', 'Texts', 'Documents'].map(
  (name) => published.find(({ id }) => id.includes(name))!,
);

describe('the deployment of a page', () => {
  const pages = nested('pages');

  test('follows all functions with their rollouts, and the gateway with every route', () => {
    const stacks = [...Object.keys(routeGroups), 'request-jobs', 'jobs', 'edge'].map(nested);
    const idsOf = (type: string) => Object.keys(top).filter((id) => top[id]?.Type === `AWS::ApiGateway::${type}`);
    expect(idsOf('Method').length).toBeGreaterThan(50);
    const first = [...stacks, ...idsOf('Method'), ...idsOf('Deployment')];
    expect([...before(pages)]).toEqual(expect.arrayContaining(first));
  });

  test('is the last step of a deployment, so that no later failure can roll back around it', () => {
    expect(Object.keys(top).filter((id) => before(id).has(pages))).toEqual([]);
  });
});

describe('the files of a page', () => {
  test('are uploaded before the document that loads them', () => {
    expect(others!.after).toContain(hashed!.id);
    expect(documents!.after).toEqual(expect.arrayContaining([others!.id, markdown!.id, texts!.id]));
    expect(published).toHaveLength(5);
  });

  test('are each in one deployment, texts with their character set', () => {
    expect(others!.exclude).toEqual(['*.html', '*.md', '*.txt']);
    const rest = [documents, markdown, texts].map((one) => [one!.exclude, one!.include, one!.type]);
    expect(rest).toEqual([
      [['*'], ['*.html'], undefined],
      [['*'], ['*.md'], 'text/markdown; charset=utf-8'],
      [['*'], ['*.txt'], 'text/plain; charset=utf-8'],
    ]);
  });

  test("name the deployment's address in pages and texts, known when the edge is deployed", () => {
    for (const one of [documents, markdown, texts])
      expect(JSON.stringify(one!.markers)).toMatch(/^\[\{"\{\{origin\}\}":\{"Fn::Join":\["",\["https:\/\/",/);
    expect([hashed!.markers, others!.markers]).toEqual([undefined, undefined]);
  });

  test('are cached forever if their names are hashed, and revalidated each time otherwise', () => {
    expect(published.filter(({ cache }) => cache !== cacheControl.other)).toEqual([hashed]);
    expect(hashed!.cache).toBe(cacheControl.hashed);
    expect(cacheControl).toEqual({ hashed: 'public, max-age=31536000, immutable', other: 'no-cache' });
  });

  test('remain after the next deployment, because open pages still load them', () => {
    expect(published.filter(({ prune }) => prune !== false)).toEqual([]);
  });

  test('come from the build and from the deployment configuration', () => {
    expect([hashed!.sources, others!.sources, documents!.sources]).toEqual([1, 2, 1]);
  });
});

test('a stage without a dashboard publishes no page', async () => {
  const bare = await synthesise();
  expect(ofType(bare.api, 'Custom::CDKBucketDeployment')).toEqual([]);
});
