import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiDocumentPath } from '#contract/dashboard-config.ts';
import { allRoutes } from '#contract/routes.ts';
import { listed } from '#test/listed.ts';
import { startTestService, type TestService } from '#test/service/service.ts';
import { fieldOf, groupsOf } from '../../dashboard/content/fields.ts';
import { loadReference } from '../../dashboard/content/reference.ts';
import type { Field, FieldGroup } from '../../dashboard/src/pages/reference/operation.ts';

const { tags, operations } = loadReference();
const namesIn = (groups: readonly FieldGroup[]): string[] =>
  groups.flatMap(({ fields }) => fields.flatMap(({ name, kinds }: Field) => [name, ...namesIn(kinds)]));
const operation = (id: string) => operations.find((one) => one.id === id)!;

describe('the API reference', () => {
  it('lists every route, and no others', () => {
    const named = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
    expect(operations.map(named).toSorted()).toEqual(allRoutes.map(named).toSorted());
    expect(new Set(operations.map(({ tag }) => tag))).toEqual(new Set(tags.map(({ name }) => name)));
  });

  it('has unique one-line titles, with further details in sentences', () => {
    const titles = operations.map(({ summary }) => summary);
    expect(titles.filter((title) => title.length > 50 || /[.;]/.test(title))).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
    for (const { note = 'None.' } of allRoutes) expect(note).toMatch(/^[A-Z].*\.$/s);
  });

  it('lists the accepted credentials of every route', () => {
    const one = { none: ['none'], key: ['key'], session: ['session'] };
    const kinds = { ...one, 'session or key': ['key', 'session'], 'session if any': ['session', 'none'] };
    for (const { method, path, credential } of allRoutes) {
      const { credentials } = operations.find((other) => other.method === method && other.path === path)!;
      expect([path, credentials]).toEqual([path, kinds[credential]]);
    }
  });

  it('shows every field of a body, including nested objects and each kind of message', () => {
    const { groups, examples } = operation('createChatCompletion').body!;
    const names = ['model', 'messages', 'function_call', 'arguments', 'parameters'];
    expect(namesIn(groups)).toEqual(expect.arrayContaining(names));
    const messages = groups[0]!.fields.find(({ name }) => name === 'messages')!;
    expect(messages).toMatchObject({ type: 'list of objects', isRequired: true, rules: ['1 to 2,048 items'] });
    expect(messages.kinds.map(({ title }) => title)).toContain('role: function');
    expect(examples.map(({ name }) => name)).toContain('A stream');
  });

  it('shows the fields of a response, the meaning of each error, and an example stream', () => {
    const [success, ...errors] = operation('createChatCompletion').responses;
    expect(namesIn(success!.groups)).toEqual(expect.arrayContaining(['choices', 'finish_reason', 'total_tokens']));
    expect(success!.examples.find(({ name }) => name === 'text/event-stream')?.value).toContain('STREAM_COMPLETE');
    expect(errors.find(({ status }) => status === '402')?.causes).toEqual([
      { code: 'INSUFFICIENT_CREDITS', text: expect.stringContaining('used up') },
    ]);
    expect(operations.every(({ responses }) => responses.every(({ causes }) => causes.length > 0))).toBe(true);
  });

  it('describes types and rules in words', () => {
    const described = (schema: object) => {
      const { type, rules } = fieldOf('x', schema, false, {});
      return [type, ...rules];
    };
    expect(
      described({ anyOf: [{ type: 'integer', minimum: 1, maximum: 5000 }, { type: 'null' }], default: 2 }),
    ).toEqual(['integer or null', '1 to 5,000', 'default 2']);
    expect(described({ type: 'array', items: { type: 'string', maxLength: 9 } })).toEqual(['list of strings']);
    expect(described({ enum: ['a', 'b'] })).toEqual(['string', '"a", "b"']);
    expect(described({ type: ['string', 'null'], format: 'date' })).toEqual(['string (date) or null']);
  });

  it('refuses a schema that contains itself', () => {
    const schemas = { Tree: { properties: { leaf: { $ref: '#/components/schemas/Tree' } } } };
    expect(() => groupsOf(schemas.Tree, schemas)).toThrow('nested too deep');
  });
});

describe('the API document', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ buildDashboard: true });
  }, 60_000);
  afterAll(() => service.close());

  const get = (path: string, init?: RequestInit) => fetch(service.origin + path, init);

  it('is served as in docs, with a strict content security policy', async () => {
    const reply = await get(apiDocumentPath);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await reply.text()).toBe(await readFile('docs/openapi.json', 'utf8'));
  });

  it.each(listed('/docs/nothing.js /docs/..%2fpackage.json /docs/%2e%2e/package.json /docs//index.html /docs/api.md'))(
    'is the only file below /docs: %s returns an enveloped 404',
    async (path) => {
      const reply = await get(path);
      expect([reply.status, await reply.json()]).toEqual([
        404,
        expect.objectContaining({ message: 'NOT_FOUND', data: null, status: 404 }),
      ]);
    },
  );

  it('and its page accept GET and HEAD only, and are hidden from pages of other origins', async () => {
    expect((await get('/docs', { method: 'POST' })).status).toBe(404);
    expect((await get('/docs', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect((await get('/docs', { method: 'HEAD' })).status).toBe(200);
  });
});
