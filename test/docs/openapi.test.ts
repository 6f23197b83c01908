import { describe, expect, it } from 'vitest';
import { planListing } from '#contract/billing/plans.ts';
import { allRoutes } from '#contract/routes.ts';
import { callEveryOperation } from '#test/contract/every-operation.ts';
import { violations } from '#test/contract/json-schema.ts';
import { type Operation, operations, type Response, resolve, shownBodies } from '#test/contract/openapi.ts';
import { noRefusal, undocumented } from '#test/contract/response-check.ts';
import { headers as documentedHeaders } from '../../bin/openapi/headers.ts';
import { readExamples } from '../../bin/openapi/operation.ts';

const every = operations.map((operation) => [operation.name, operation] as const);

/** Field names and types of a value. Lists are the set of their items' shapes, because examples shorten them. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shapes = new Map(value.map(shapeOf).map((shape) => [JSON.stringify(shape), shape]));
    return [...shapes].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, shape]) => shape);
  }
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

/** Shapes of a stream's events. */
const eventShapes = (stream = ''): readonly string[] =>
  stream
    .split('\n\n')
    .filter(Boolean)
    .map((event) => {
      const data = event.replace(/^event: \S+\n/, '');
      return data.startsWith('data: {') ? JSON.stringify(shapeOf(JSON.parse(data.slice(6)))) : data;
    });

const examplesIn = ({ content }: Response): [type: string, value: unknown][] =>
  Object.entries(content).flatMap(([type, { example, examples = {} }]) =>
    [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)].map(
      (value): [string, unknown] => [type, value],
    ),
  );

const responseOf = (status: number, type: string, value: unknown) => ({
  status,
  headers: { 'content-type': type, 'x-request-id': 'x' },
  text: typeof value === 'string' ? value : JSON.stringify(value),
});

describe('docs/openapi.json', () => {
  it('describes every route once, and nothing else', () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual(
      allRoutes.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(allRoutes.length);
  });

  it('lists the accepted plan ids and no others', () => {
    const ids = planListing.flatMap(({ id, name }) => [name, String(id)]);
    const field = (id: string, name: string) => {
      const { body, parameters } = operations.find(({ operationId }) => operationId === id)!;
      const properties = (body && resolve(body.schema))?.['properties'] as Record<string, unknown> | undefined;
      return properties?.[name] ?? parameters.find((parameter) => parameter.name === name)?.schema;
    };
    expect(field('createSubscription', 'planId')).toMatchObject({ type: 'string', enum: ids });
    for (const id of ['upgradePlan', 'downgradePlan', 'previewUpgrade'])
      expect(field(id, 'newPlanId')).toMatchObject({ type: 'string', enum: ids });
  });

  it("shows examples with the status, headers and shape of the service's responses", async () => {
    const returned = await callEveryOperation();
    const examples = await readExamples();
    expect(Object.keys(examples).toSorted()).toEqual([...returned.keys()].toSorted());
    expect(returned.size).toBe(allRoutes.length);
    for (const [id, { status, headers, response, stream }] of returned) {
      const example = examples[id]!;
      const names = Object.keys(documentedHeaders).filter((name) => headers.has(name));
      const shown = { status: example.status, headers: example.headers, shape: shapeOf(example.response) };
      // The response is on both sides so that a failure prints it.
      expect({ id, ...shown, response }).toEqual({ id, status, headers: names, shape: shapeOf(response), response });
      expect([id, ...eventShapes(stream)]).toEqual(expect.arrayContaining([id, ...eventShapes(example.stream)]));
      expect([id, example.stream === undefined]).toEqual([id, stream === undefined]);
    }
  }, 240_000);

  it.each(every)('%s has an example of its request and of each response, all valid by its schemas', (_, operation) => {
    const bodies = shownBodies(operation);
    expect(bodies.length > 0).toBe(operation.body !== undefined);
    for (const body of bodies) expect(violations(operation.body!.schema, body, { resolve, closed: true })).toEqual([]);
    for (const { name, required, example, schema } of operation.parameters) {
      if (required) expect([name, typeof example]).toEqual([name, 'string']);
      if (example) expect(violations(schema, example, { resolve })).toEqual([]);
    }
    for (const [status, response] of operation.responses) expect(faultsOf(operation, status, response)).toEqual([]);
  });
});

/** Faults of all examples of a response. A missing example is a fault. */
function faultsOf(operation: Operation, status: number, response: Response): string[] {
  const examples = examplesIn(response);
  const isBytes = Object.values(response.content).every(({ schema }) => schema['format'] === 'binary');
  if (examples.length === 0) return isBytes ? [] : ['has no example'];
  return examples.flatMap(([type, value]) => {
    const raw = responseOf(status, type, value);
    if (status < 400) return undocumented(operation, raw);
    const asClientError = status < 500 ? noRefusal(operation.path, raw) : [];
    return [...asClientError, ...violations(response.content[type]!.schema, value, { resolve })];
  });
}
