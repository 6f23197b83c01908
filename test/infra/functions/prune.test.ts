import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '#local/shared/loopback.ts';
import { runCommand } from '#test/run-command.ts';

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
let calls = 0;
/** Lambda's response to deletions. Undefined: they succeed. */
let refusal: { readonly message: string } | undefined;
/** Lambda's list operations (REST protocol), one item per page. */
const lambda = await listen((request, response) => {
  calls += 1;
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
  const send = (status: number, json?: object) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(json && JSON.stringify(json));
  };
  if (request.method !== 'DELETE') return send(200, body());
  if (refusal) return send(403, refusal);
  deleted.push(`${name}:${searchParams.get('Qualifier')}`);
  send(204);
});
afterAll(() => lambda.close());
beforeEach(() => {
  calls = 0;
  refusal = undefined;
  deleted.length = 0;
});

const credentials = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-west-1' };
const prune = (...args: readonly string[]) =>
  runCommand('bin/prune.ts', args, { ...credentials, AWS_ENDPOINT_URL: lambda.url });

describe('npm run prune', () => {
  it("deletes old versions, but not the three newest, those of an alias, or another stage's", async () => {
    expect(await prune('live')).toEqual({ status: 0, out: 'Deleted versions: 1, of 2 functions.\n', err: '' });
    expect(deleted).toEqual(['text-ai-live-api-x-chat:3']);
  });

  it.each([
    ['without a stage', [], /^Usage: npm run prune -- STAGE\n/],
    ['with several stages', ['live', 'staging'], /^Usage: npm run prune -- STAGE\n/],
    ['for an unknown stage', ['other'], /^no stage is called other; there are: live, staging\n$/],
  ])('calls nothing %s, and prints the reason', async (_, args, reason) => {
    expect(await prune(...args)).toEqual({ status: 1, out: '', err: expect.stringMatching(reason) });
    expect(calls).toBe(0);
  });

  it('fails if AWS refuses a deletion, so that the pipeline shows it', async () => {
    refusal = { message: 'not authorized to perform lambda:DeleteFunction' };
    expect(await prune('live')).toEqual({ status: 1, out: '', err: `${refusal.message}\n` });
    expect(deleted).toEqual([]);
  });
});
