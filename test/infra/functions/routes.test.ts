import { readdirSync } from 'node:fs';
import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { jobName, operationPlace } from '#contract/handlers.ts';
import type { Route } from '#contract/http/route.ts';
import { allJobs, canary } from '#contract/jobs.ts';
import { Environment } from '#contract/platform/environment.ts';
import { allRoutes, unknownRouteId } from '#contract/routes.ts';
import { modelDeadlines } from '#runtime/services/core-services.ts';
import { otherStage } from '#test/stages/other-stage.ts';
import { payingStage } from '#test/stages/paying-stage.ts';
import { functionsOf, ofType, pathOf, resourcesOf, synthesise } from '../synth.ts';
import { type Resource, type Whole } from '../whole.ts';

interface DeployedMethod {
  readonly path: string;
  readonly method: string;
  readonly handler: string;
  readonly streams: boolean;
  readonly timeoutMs: number | undefined;
}

const { api: template } = await synthesise({ stage: payingStage });
const other = await synthesise({ stage: otherStage, buffered: true });
let methods: readonly DeployedMethod[];
let functions: ReadonlyMap<string, Resource>;

beforeAll(() => {
  methods = methodsOf(template);
  functions = functionsOf(template);
});

test('every route has an operation, and every exported operation has a route', async () => {
  const places = allRoutes.map(({ id }) => operationPlace(id));
  const files = [...new Set(places.map(({ file }) => file))].toSorted();
  expect(readdirSync(new URL('../../../functions/api', import.meta.url)).toSorted()).toEqual(
    files.map((file) => `${file}.ts`),
  );
  for (const file of files) {
    const names = places.filter((place) => place.file === file).map(({ name }) => name);
    expect(Object.keys(await import(`#api/${file}.ts`)).toSorted()).toEqual(names.toSorted());
  }
});

test('every job has a builder, and every exported builder has a job', async () => {
  const all = [...allJobs, canary];
  const features = [...new Set(all.map(({ feature }) => feature))].toSorted();
  expect(readdirSync(new URL('../../../functions/jobs', import.meta.url)).toSorted()).toEqual(
    features.map((feature) => `${feature}.ts`),
  );
  for (const feature of features) {
    const names = all.filter((job) => job.feature === feature).map(({ id }) => jobName(id));
    expect(Object.keys(await import(`#jobs/${feature}.ts`)).toSorted()).toEqual(names.toSorted());
  }
});

test('each route and job has one function, and unmatched requests have another', () => {
  const rows = [...allRoutes, ...allJobs].map(({ id }) => id);
  expect([...functions.keys()].toSorted()).toEqual([...rows, unknownRouteId].toSorted());
});

test('the gateway has a method for every route, with its own handler, and for nothing else', () => {
  const deployed = methods.filter(({ method }) => method !== 'ANY');
  expect(deployed.map(({ method, path, handler }) => `${method} ${path} ${handler}`).toSorted()).toEqual(
    allRoutes.map(({ method, path, id }) => `${method} ${path} ${id}`).toSorted(),
  );
});

test('the fallback handler receives every other method and path, but for prefixes below /api', () => {
  const rest = methods.filter(({ method }) => method === 'ANY');
  expect(new Set(rest.map(({ handler }) => handler))).toEqual(new Set([unknownRouteId]));
  const covered = new Set(rest.map(({ path }) => path));
  const paths = [...apiPaths(template).values()];
  const isPrefix = (path: string) =>
    paths.some((other) => other.startsWith(`${path}/`)) && !allRoutes.some((route) => route.path === path);
  const answered = paths.filter((path) => !(path.startsWith('/api/') && isPrefix(path)));
  expect(covered).toEqual(new Set(['/', ...answered]));
  expect([...covered]).toEqual(expect.arrayContaining(['/', '/{proxy+}', '/api/{proxy+}', '/v1/{proxy+}']));
});

test('the fallback handler has a single permission, so that its resource policy stays within the size limit', () => {
  const permissions = ofType(template, 'AWS::Lambda::Permission').map(([, { Properties }]) => Properties);
  expect(permissions.filter((permission) => handlerIn(template, permission) === unknownRouteId)).toHaveLength(1);
});

describe('a timeout', () => {
  const secondsOf = (id: string) => Number(functions.get(id)?.Properties['Timeout']);

  test('of a function is at least 3 seconds longer than its model deadline, for any stage settings', () => {
    const stages = [{}, { MODEL_DEADLINE_MS: '900000', MODEL_STREAM_DEADLINE_MS: '900000' }];
    const invoking = allRoutes.filter(({ uses }) => uses.inference);
    expect(invoking.length).toBeGreaterThan(2);
    for (const environment of stages.map((stage) => v.parse(Environment, stage))) {
      const maxSeconds = (route: Route) => Math.max(...Object.values(modelDeadlines(route, environment))) / 1000;
      expect(invoking.filter((route) => maxSeconds(route) > secondsOf(route.id) - 3)).toEqual([]);
    }
  });

  test('of the gateway is a second longer than that of its function', () => {
    const named = methods.filter(({ method }) => method !== 'ANY');
    const gateway = named.map(({ handler, timeoutMs }) => [handler, timeoutMs]);
    expect(gateway).toEqual(named.map(({ handler }) => [handler, (secondsOf(handler) + 1) * 1000]));
  });

  test("of a buffered response is at most the gateway's 29 s", () => {
    const plain = methods.filter(({ streams }) => !streams);
    for (const { timeoutMs = 29_000 } of plain) expect(timeoutMs).toBeLessThanOrEqual(29_000);
    expect(plain).not.toHaveLength(0);
  });
});

describe('response streaming', () => {
  test('is used only on the routes that declare it', () => {
    const wanted = allRoutes.filter(({ streaming }) => streaming).map(({ id }) => id);
    const streaming = methods.filter(({ streams }) => streams).map(({ handler }) => handler);
    expect(streaming.toSorted()).toEqual(wanted.toSorted());
  });

  test('can be disabled for a front end that cannot stream', () => {
    const buffered = methodsOf(other.api);
    expect(buffered.map(({ path, method }) => `${method} ${path}`)).toEqual(
      methods.map(({ path, method }) => `${method} ${path}`),
    );
    for (const { streams, timeoutMs = 0 } of buffered) expect([streams, timeoutMs <= 29_000]).toEqual([false, true]);
  });
});

test('a deployment outputs its URLs', () => {
  expect(Object.keys(template.outputs)).toEqual(expect.arrayContaining(['ApiUrl', 'InferenceUrl']));
  const { ApiUrl, InferenceUrl } = template.outputs;
  expect(JSON.stringify(ApiUrl?.Value)).toMatch(/"https:\/\/".*"DomainName".*"\/api"/);
  expect(JSON.stringify(InferenceUrl?.Value)).toMatch(/"https:\/\/".*"DomainName".*"\/v1"/);
});

/** Path by logical id. */
function apiPaths(from: Whole): Map<string, string> {
  const resources = resourcesOf(from);
  const pathOfResource = (id: string): string => {
    const { ParentId, PathPart } = resources[id]!.Properties as { ParentId: { Ref?: string }; PathPart: string };
    return `${ParentId.Ref ? pathOfResource(ParentId.Ref) : ''}/${PathPart}`;
  };
  return new Map(ofType(from, 'AWS::ApiGateway::Resource').map(([id]) => [id, pathOfResource(id)]));
}

function methodsOf(from: Whole): DeployedMethod[] {
  const paths = apiPaths(from);
  return ofType(from, 'AWS::ApiGateway::Method').map(([, { Properties }]) => {
    const { HttpMethod, ResourceId, Integration } = Properties as {
      HttpMethod: string;
      ResourceId: { Ref?: string };
      Integration: { TimeoutInMillis?: number; ResponseTransferMode?: string; Uri: unknown };
    };
    return {
      path: ResourceId.Ref ? (paths.get(ResourceId.Ref) ?? '?') : '/',
      method: HttpMethod,
      handler: handlerIn(from, Integration.Uri),
      streams: Integration.ResponseTransferMode === 'STREAM',
      timeoutMs: Integration.TimeoutInMillis,
    };
  });
}

/** The function referenced by a part of a template. */
function handlerIn(from: Whole, value: unknown): string {
  const text = JSON.stringify(value);
  const [, fn] = ofType(from, 'AWS::Lambda::Alias').find(([id]) => text.includes(`"${id}"`)) ?? [];
  return fn ? (pathOf(fn).split('/')[0] ?? '') : '';
}
