import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, describe, expect, it } from 'vitest';
import { listen } from '#local/shared/loopback.ts';
import { pruneVersions } from '../../../bin/versions/function-versions.ts';

/** Tag `text-ai-stage` by function. */
const stages: Readonly<Record<string, string | undefined>> = {
  'text-ai-live-api-x-chat': 'live',
  'text-ai-live-api-x-keys': 'live',
  'text-ai-live-2-api-chat': 'live-2',
  other: undefined,
};
const versions: Readonly<Record<string, readonly string[]>> = {
  'text-ai-live-api-x-chat': ['$LATEST', '1', '2', '3', '9', '10', '11'],
  'text-ai-live-api-x-keys': ['$LATEST', '4'],
  'text-ai-live-2-api-chat': ['$LATEST', '1', '2', '3', '4', '5'],
  other: ['$LATEST', '1', '2', '3', '4', '5'],
};
const aliases = {
  'text-ai-live-api-x-chat': [
    { Name: 'live', FunctionVersion: '2', RoutingConfig: { AdditionalVersionWeights: { '1': 0.1 } } },
  ],
} as Readonly<Record<string, readonly object[]>>;

const deleted: string[] = [];
/** Lambda's list operations (REST protocol), one item per page. */
const lambda = await listen((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://lambda');
  const [, name = '', list] = /^\/2015-03-31\/functions\/([^/]*)(?:\/(\w+))?$/.exec(pathname) ?? [];
  const page = <T>(key: string, all: readonly T[]) => {
    const at = Number(searchParams.get('Marker') ?? 0);
    return { [key]: all.slice(at, at + 1), ...(at + 1 < all.length && { NextMarker: String(at + 1) }) };
  };
  const body = () => {
    if (list === 'versions')
      return page(
        'Versions',
        (versions[name] ?? []).map((Version) => ({ Version })),
      );
    if (list === 'aliases') return page('Aliases', aliases[name] ?? []);
    const tagged = /^\/2017-03-31\/tags\/(.+)$/.exec(decodeURIComponent(pathname))?.[1];
    if (tagged !== undefined) return { Tags: { 'text-ai-stage': stages[tagged.split(':').at(-1) ?? ''] } };
    const all = Object.keys(stages).map((FunctionName) => {
      return { FunctionName, FunctionArn: `arn:aws:lambda:eu-west-1:111111111111:function:${FunctionName}` };
    });
    return page('Functions', all);
  };
  if (request.method === 'DELETE') deleted.push(`${name}:${searchParams.get('Qualifier')}`);
  response.writeHead(request.method === 'DELETE' ? 204 : 200, { 'content-type': 'application/json' });
  response.end(request.method === 'DELETE' ? undefined : JSON.stringify(body()));
});
const client = new LambdaClient({ endpoint: lambda.url, region: 'eu-west-1' });
afterAll(async () => {
  client.destroy();
  await lambda.close();
});

describe('npm run prune', () => {
  it("deletes old versions, but not the three newest, those of an alias, or another stage's", async () => {
    expect(await pruneVersions(client, 'live')).toEqual({ functions: 2, deleted: 1 });
    expect(deleted).toEqual(['text-ai-live-api-x-chat:3']);
  });
});
