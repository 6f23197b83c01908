import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { breakingChanges } from '../../../bin/openapi/compatibility/breaking-changes.ts';

const published = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));

const text = { type: 'string' };
const number = { type: 'number' };
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});

interface Parts {
  readonly body?: object;
  readonly data?: object;
  readonly parameters?: readonly object[];
}

/** A document of one operation, with what is named changed. */
function documentOf({ body = object({ name: text }), data = object({ id: text }), parameters = [] }: Parts = {}) {
  const content = (schema: unknown) => ({ 'application/json': { schema } });
  const operation = {
    parameters,
    requestBody: { content: content(body) },
    responses: { 200: { content: content(data) } },
  };
  return { paths: { '/api/keys': { post: operation } }, components: { schemas: { Text: text, Number: number } } };
}

const state = (...values: string[]) => object({ state: { enum: values } });
const limited = (maxLength: number) => object({ name: { type: 'string', maxLength } });
const error = (...codes: string[]) => object({ error: { const: true }, message: { enum: codes } });
const query = (required: boolean) => [{ in: 'query', name: 'limit', required, schema: number }];

describe('a change only adds', () => {
  test.each<[string, object, object]>([
    ['an operation', { paths: {} }, documentOf()],
    ['a field of a response', documentOf(), documentOf({ data: object({ id: text, at: number }) })],
    ['an optional field of a body', documentOf(), documentOf({ body: object({ name: text, at: number }, ['name']) })],
    ['an optional parameter', documentOf(), documentOf({ parameters: query(false) })],
    ['a value that a body may have', documentOf({ body: state('a') }), documentOf({ body: state('a', 'b') })],
    ['a value that a response no longer has', documentOf({ data: state('a', 'b') }), documentOf({ data: state('a') })],
    ['a longer text that is taken', documentOf({ body: limited(5) }), documentOf({ body: limited(6) })],
    ['a type that is taken', documentOf(), documentOf({ body: object({ name: { anyOf: [text, number] } }) })],
    ['a field that is no longer required', documentOf(), documentOf({ body: object({ name: text }, []) })],
    ['a code of an error', documentOf({ data: error('A') }), documentOf({ data: error('A', 'B') })],
    [
      'a name for a schema',
      documentOf({ data: object({ id: text }) }),
      documentOf({ data: object({ id: { $ref: '#/components/schemas/Text' } }) }),
    ],
    ['whole numbers in place of numbers', documentOf({ data: number }), documentOf({ data: { type: 'integer' } })],
  ])('with %s', (_, before, after) => {
    expect(breakingChanges(before, after)).toEqual([]);
  });
});

describe('a change takes something away', () => {
  test.each<[object, object, string]>([
    [documentOf(), { paths: {} }, 'POST /api/keys was removed'],
    [documentOf(), documentOf({ data: object({}) }), '200 application/json.id was removed'],
    [documentOf(), documentOf({ data: object({ id: text }, []) }), '200 application/json.id is no longer always there'],
    [documentOf(), documentOf({ data: object({ id: number }) }), '200 application/json.id may be of type number'],
    [
      documentOf({ data: object({ id: { $ref: '#/components/schemas/Text' } }) }),
      documentOf({ data: object({ id: { anyOf: [text, { type: 'null' }] } }) }),
      '200 application/json.id may be of type null',
    ],
    [documentOf({ data: state('a') }), documentOf({ data: state('a', 'b') }), '200 application/json.state may be "b"'],
    [documentOf({ body: state('a', 'b') }), documentOf({ body: state('a') }), 'the body.state may be "b"'],
    [documentOf(), documentOf({ body: object({ name: text, at: number }) }), 'the body.at is now required'],
    [documentOf(), documentOf({ body: object({}) }), 'the body.name was removed'],
    [documentOf({ body: limited(6) }), documentOf({ body: limited(5) }), 'the body.name has a tighter maxLength'],
    [documentOf(), documentOf({ body: limited(5) }), 'the body.name has a tighter maxLength'],
    [documentOf(), documentOf({ parameters: query(true) }), 'query limit is now required'],
    [documentOf({ parameters: query(false) }), documentOf(), 'query limit was removed'],
  ])('%#: %j', (before, after, problem) => {
    expect(breakingChanges(before, after)).toEqual([expect.stringContaining(problem)]);
  });

  test('in the published document, wherever a field of a response is left out', () => {
    for (const name of ['CreatedKey', 'ChatCompletion', 'CurrentUser', 'Subscription']) {
      const changed = structuredClone(published);
      const { properties } = changed.components.schemas[name];
      const [field = ''] = Object.keys(properties);
      delete properties[field];
      expect(breakingChanges(published, changed)).toContainEqual(expect.stringContaining(`${field} was removed`));
    }
  });
});

test('the published document takes nothing away from itself', () => {
  expect(breakingChanges(published, published)).toEqual([]);
});
