import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { dialectBodies, useOf } from '../../bin/openapi/tables.ts';

/** Parameters in the official client's types: the fields of an interface, indented by four spaces. */
function parametersOf(file: string, name: string): string[] {
  const types = readFileSync(`node_modules/openai/resources/${file}.d.ts`, 'utf8');
  const [, body = ''] = types.split(new RegExp(`^export interface ${name} .*\\{$`, 'm'));
  const [own = ''] = body.split(/^\}$/m);
  return [...own.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = '']) => field);
}

const official = [
  ['/openai/v1/chat/completions', 'chat/completions/completions', 'ChatCompletionCreateParamsBase'],
  ['/openai/v1/completions', 'completions', 'CompletionCreateParamsBase'],
  ['/openai/v1/embeddings', 'embeddings', 'EmbeddingCreateParams'],
  ['/openai/v1/responses', 'responses/responses', 'ResponseCreateParamsBase'],
] as const;

const fields = Object.entries(dialectBodies).flatMap(([path, entries]) =>
  Object.entries(entries).map(([name, field]) => [path, name, field] as const),
);

describe('the fields in docs/guides/openai-sdks.md', () => {
  it.each(official)('%s include every parameter of the official client', (path, file, type) => {
    const parameters = parametersOf(file, type);
    expect(parameters.length).toBeGreaterThan(4);
    expect(parameters.filter((name) => !(name in (dialectBodies[path] ?? {})))).toEqual([]);
  });

  const refused = fields.filter(([, , field]) => useOf(field).use === 'refused');

  it.each(refused)('%s: %s is refused with any other value', (_, __, field) => {
    for (const value of ['some other value', 7, [{ other: true }], { other: true }])
      expect([value, v.is(field, value)]).toEqual([value, false]);
  });

  const ignored = fields.filter(([, , field]) => useOf(field).use === 'without effect');

  it.each(ignored)('%s: %s without effect is optional', (_, __, field) => {
    expect(v.is(field, undefined)).toBe(true);
  });
});
