import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { routeGroups } from '#contract/routes.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { synthesiseNow } from '../stacks.ts';
import { ofType, synthesise } from '../synth.ts';

const dashboard = await testFolder();
afterAll(() => removeFolder(dashboard));
for (const folder of ['assets', 'brotli']) mkdirSync(join(dashboard, folder));
for (const file of ['index.html', 'favicon.svg', 'assets/a.js', 'brotli/a.js'])
  writeFileSync(join(dashboard, file), 'x');
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
function dependenciesOf(id: string): Set<string> {
  const known = earlier.get(id) ?? new Set(directlyBefore(id).flatMap((ref) => [ref, ...dependenciesOf(ref)]));
  earlier.set(id, known);
  return known;
}

function directlyBefore(id: string): string[] {
  const { DependsOn = [], Properties } = top[id]!;
  const mentioned = [...JSON.stringify(Properties).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(([, ref]) => ref!);
  return [...[DependsOn].flat(), ...mentioned].filter((ref) => ref in top);
}

const published = ofType(api, 'Custom::CDKBucketDeployment');
const idOf = (name: string) => published.find(([id]) => id.includes(name))![0];

describe('the deployment of a page', () => {
  const pages = nested('pages');

  test('follows all functions with their rollouts, and the gateway with every route', () => {
    const stacks = [...Object.keys(routeGroups), 'request-jobs', 'jobs', 'edge'].map(nested);
    const idsOf = (type: string) => Object.keys(top).filter((id) => top[id]?.Type === `AWS::ApiGateway::${type}`);
    expect(idsOf('Method').length).toBeGreaterThan(50);
    const first = [...stacks, ...idsOf('Method'), ...idsOf('Deployment')];
    expect([...dependenciesOf(pages)]).toEqual(expect.arrayContaining(first));
  });

  test('is the last step of a deployment, so that no later failure can roll back around it', () => {
    expect(Object.keys(top).filter((id) => dependenciesOf(id).has(pages))).toEqual([]);
  });
});

const hashed = { prune: false, cache: 'public, max-age=31536000, immutable', coding: 'br', sources: 1 };
const others = { prune: false, cache: 'no-cache', sources: 2, exclude: ['*.html', '*.md', '*.txt'] };
const text = { prune: false, cache: 'no-cache', sources: 1, exclude: ['*'], isFilled: true };
const before = [idOf('Others'), idOf('Markdown'), idOf('Texts')];
test.each([
  ['Hashed', hashed, []],
  ['Others', others, [idOf('Hashed')]],
  ['Documents', { ...text, include: ['*.html'] }, before],
  ['Markdown', { ...text, include: ['*.md'], type: 'text/markdown; charset=utf-8' }, []],
  ['Texts', { ...text, include: ['*.txt'], type: 'text/plain; charset=utf-8' }, []],
])('%s are uploaded before the documents that load them, and remain for open pages', (name, expected, after) => {
  expect(published).toHaveLength(5);
  const [, { Properties, DependsOn = [] }] = published.find(([id]) => id.includes(name))!;
  const metadata = Properties['SystemMetadata'] as Record<string, string>;
  const markers = Properties['SourceMarkers'];
  expect({
    prune: Properties['Prune'],
    cache: metadata['cache-control'],
    coding: metadata['content-encoding'],
    type: metadata['content-type'],
    sources: (Properties['SourceObjectKeys'] as unknown[]).length,
    include: Properties['Include'],
    exclude: Properties['Exclude'],
    isFilled: markers && JSON.stringify(markers).startsWith('[{"{{origin}}":{"Fn::Join":["",["https://",'),
  }).toEqual(expected);
  expect([DependsOn].flat()).toEqual(expect.arrayContaining(after));
});

test('a stage without a dashboard publishes no page', async () => {
  const bare = await synthesise();
  expect(ofType(bare.api, 'Custom::CDKBucketDeployment')).toEqual([]);
});
