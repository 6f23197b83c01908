import type * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { AgentChange, AgentQuery, NewAgent } from '#contract/agents/agents.ts';
import { MessageQuery, NewMessage } from '#contract/agents/conversations.ts';
import { NewDocument } from '#contract/agents/documents.ts';
import { models } from '#contract/inference/models.ts';
import { services } from '#runtime/services/container.ts';
import { agentOwner, type Owner } from '#test/agents/owner.ts';
import { rowsOf } from '#test/database/rows.ts';
import { code, useTestService } from '#test/service/service.ts';

/** A part of a schema with its rules and nested parts. */
interface Part {
  readonly message?: unknown;
  readonly pipe?: readonly Part[];
  readonly entries?: Readonly<Record<string, Part>>;
  readonly item?: Part;
  readonly wrapped?: Part;
}

/** Every rule that a request may break, prefixed with its field: `functions.0.name must be a string`. */
function rulesOf(schema: v.GenericSchema): readonly string[] {
  // Valibot schemas are plain objects with these property names.
  return [...new Set(partRules(schema as Part, ''))];
}

function partRules({ message, pipe = [], entries = {}, item, wrapped }: Part, path: string): string[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  // The first part of a pipe is the schema itself, with the same message and parts.
  const [first, ...more] = pipe;
  return [
    ...(typeof message === 'string' ? [`${path} ${message}`.trim()] : []),
    ...(first?.pipe ? partRules(first, path) : []),
    ...more.flatMap((one) => partRules(one, path)),
    ...Object.entries(entries).flatMap(([name, one]) => partRules(one, at(name))),
    ...(item ? partRules(item, at('0')) : []),
    ...(wrapped ? partRules(wrapped, path) : []),
  ];
}

/** A body or query that breaks one rule, and the rule with its field. */
type BrokenRule = readonly [rule: string, broken: object];

const half = '\ud83d';
const long = (characters: number) => '😀'.repeat(characters + 1);
const agent = { name: 'Guide', model: 'svc-1' };
const chatModels = models.filter(({ capabilities }) => capabilities.includes('chat')).map(({ id }) => id);
const choice = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const named = (name: string) => ({ name });

/** The rules of a text field with a maximum length. */
const ofText = (field: string, max: number, withText: (text: unknown) => object): BrokenRule[] => [
  [`${field} must be a string`, withText(5)],
  [`${field} must be well-formed Unicode`, withText(half)],
  [`${field} must have at most ${max} characters`, withText(long(max))],
];
const ofName = (field: string, withText: (text: unknown) => object): BrokenRule[] => [
  ...ofText(field, 64, withText).slice(0, 2),
  [`${field} must not be empty`, withText('')],
  [`${field} must have at most 64 characters`, withText('n'.repeat(65))],
  [`${field} must contain only letters, digits, _, . and -`, withText('a name')],
];
const withFunctions = (functions: unknown) => ({ ...agent, functions });

/** These apply to changes too, except those for missing fields. */
const ofAgents: readonly BrokenRule[] = [
  ['The body must be a JSON object', []],
  ['name is required', { model: 'svc-1' }],
  ...ofText('name', 64, (name) => ({ ...agent, name })),
  ['name must not be empty', { ...agent, name: '' }],
  ['model is required', { name: 'Guide' }],
  [`model must name a model for chat: ${choice.format(chatModels)}`, { ...agent, model: 'svc-embed' }],
  ...ofText('instructions', 8000, (instructions) => ({ ...agent, instructions })),
  ['functions must be a list', withFunctions({})],
  ['functions.0 must be an object', withFunctions([5])],
  ['functions.0.name is required', withFunctions([{}])],
  ...ofName('functions.0.name', (name) => withFunctions([{ name }])),
  ['functions.0.description must be a string', withFunctions([{ name: 'a', description: 5 }])],
  ['functions.0.description must be well-formed Unicode', withFunctions([{ name: 'a', description: half }])],
  ['functions.0.parameters must be a JSON schema object', withFunctions([{ name: 'a', parameters: [] }])],
  ['functions.0.parameters must be well-formed Unicode', withFunctions([{ name: 'a', parameters: { a: half } }])],
  ['functions must have at most 128 functions', withFunctions(Array.from({ length: 129 }, (_, at) => named(`f${at}`)))],
  ['functions must not contain two functions with the same name', withFunctions([named('a'), named('a')])],
  [
    'functions must have at most 65536 bytes as JSON',
    withFunctions([{ name: 'a', description: 'ä'.repeat(65_536 / 2) }]),
  ],
  ['temperature must be a number', { ...agent, temperature: '1' }],
  ['temperature must be at least 0', { ...agent, temperature: -0.1 }],
  ['temperature must be at most 2', { ...agent, temperature: 2.1 }],
  ['maxTokens must be a number', { ...agent, maxTokens: '1' }],
  ['maxTokens must be an integer', { ...agent, maxTokens: 1.5 }],
  ['maxTokens must be positive', { ...agent, maxTokens: 0 }],
  ['truncation must be drop, summarize or error', { ...agent, truncation: 'cut' }],
  ['retentionDays must be a number', { ...agent, retentionDays: null }],
  ['retentionDays must be an integer', { ...agent, retentionDays: 1.5 }],
  ['retentionDays must be positive', { ...agent, retentionDays: 0 }],
  ['retentionDays must be at most 365', { ...agent, retentionDays: 366 }],
];

const mebibyte = 1024 * 1024;
const document = (text: unknown) => ({ name: 'Handbook', text });

const ofDocuments: readonly BrokenRule[] = [
  ['The body must be a JSON object', []],
  ['name is required', { text: 'a' }],
  ...ofText('name', 200, (name) => ({ name, text: 'a' })),
  ['name must not be empty', { name: '', text: 'a' }],
  ['text is required', { name: 'Handbook' }],
  ['text must be a string', document(5)],
  ['text must be well-formed Unicode', document(half)],
  ['text must not be empty', document(' \n\t\u3000')],
  ['text must be text, without control characters', document('PK\u0003\u0004\u0000')],
  ['text must have at most 1048576 bytes as UTF-8', document(`${'ä'.repeat(mebibyte / 2)}a`)],
  [
    'text must have at most 2000 chunks; it has 2001. Split it into several documents',
    document(`${'a'.repeat(501)}. `.repeat(2001)),
  ],
];

const result = (about: object) => ({ functionResults: [about] });
const good = { name: 'get_weather', content: '21' };

const ofMessages: readonly BrokenRule[] = [
  ['The body must be a JSON object', []],
  ['content is required without functionResults', {}],
  ...ofText('content', 100_000, (content) => ({ content })),
  ['content must not be empty', { content: '' }],
  ['functionResults must not be sent together with content', { content: 'a', ...result(good) }],
  ['functionResults must be a list', { functionResults: good }],
  ['functionResults must not be empty', { functionResults: [] }],
  ['functionResults must have one result, because a message has one call', { functionResults: [good, good] }],
  ['functionResults.0 must be an object', { functionResults: ['21'] }],
  ['functionResults.0.name is required', result({ content: '21' })],
  ...ofName('functionResults.0.name', (name) => result({ ...good, name })),
  ['functionResults.0.content is required', result({ name: 'get_weather' })],
  ...ofText('functionResults.0.content', 100_000, (content) => result({ ...good, content })),
  ['stream must be true or false', { content: 'a', stream: 'yes' }],
];

const ofLists: readonly BrokenRule[] = [
  ['cursor must not be empty', { cursor: '' }],
  ['cursor must have at most 64 characters', { cursor: 'c'.repeat(65) }],
  ['cursor must be the nextCursor of the previous page', { cursor: '1; drop' }],
  ...['0', '201', '1.5', 'all', ''].map((limit): BrokenRule => ['limit must be a number from 1 to 200', { limit }]),
];

const service = useTestService();
let owner: Owner;
beforeAll(async () => {
  owner = await agentOwner(service);
});

/**
 * Rules that no request can break: JSON has no infinite numbers, query texts are strings of valid UTF-8, and a
 * minimum of 0 excludes nothing.
 */
const unreachable =
  / must be finite$| must be at most 9007199254740991$| must have at least 0 characters$|^cursor must be (?:a string|well-formed Unicode)$/;

describe('this file', () => {
  it.each<[string, v.GenericSchema, readonly BrokenRule[]]>([
    ['agents', NewAgent, ofAgents],
    ['changes of agents', AgentChange, ofAgents],
    ['documents', NewDocument, ofDocuments],
    ['messages', NewMessage, ofMessages],
    ['lists', AgentQuery, ofLists],
    ['lists of messages', MessageQuery, ofLists],
  ])('has a case for every validation rule of %s', (_, schema, rows) => {
    const broken = rows.map(([rule]) => rule);
    const rules = rulesOf(schema).filter((rule) => !unreachable.test(rule));
    expect(rules.length).toBeGreaterThan(3);
    // A rule that is forwarded to a field has its field name only in the error.
    expect(rules.filter((rule) => !broken.some((one) => one.endsWith(rule)))).toEqual([]);
  });
});

describe('an invalid request', () => {
  const refused = '400 INVALID_FORMAT';
  const paths = async () => {
    const { path } = await owner.conversation();
    return { list: ['/api/agents', `${owner.path}/documents`, `${owner.path}/conversations`, path], path };
  };
  const ofChanges = ofAgents.filter(([rule]) => !/^(?:name|model) is required$/.test(rule));

  it.each<[what: string, rules: readonly BrokenRule[], method: string, path: () => string | Promise<string>]>([
    ['an agent', ofAgents, 'POST', () => '/api/agents'],
    ['a change', ofChanges, 'PATCH', () => owner.path],
    ['a document', ofDocuments, 'POST', () => `${owner.path}/documents`],
    ['a message', ofMessages, 'POST', async () => `${(await owner.conversation()).path}/messages`],
  ])('for %s returns 400 with the broken rule, and changes and charges nothing', async (_, rules, method, pathOf) => {
    const path = await pathOf();
    const [items, credits] = [await rowsOf('agents'), await owner.credits()];
    for (const [rule, body] of rules) {
      const response = await owner.call(method, path, body);
      expect([code(response), response.body.detail]).toEqual([refused, `${rule}.`]);
    }
    expect([await rowsOf('agents'), await owner.credits()]).toEqual([items, credits]);
  });

  it.each(ofLists)('for a list returns 400 with the broken rule: %s, as %j', async (rule, query) => {
    for (const list of (await paths()).list) {
      const response = await owner.call('GET', `${list}?${new URLSearchParams({ ...query }).toString()}`);
      expect([list, code(response), response.body.detail]).toEqual([list, refused, `${rule}.`]);
    }
  });

  it('with an unrequested function result returns 409, and changes and charges nothing', async () => {
    const { path } = await owner.conversation();
    const [items, credits] = [await rowsOf('agents'), await owner.credits()];
    const body = { functionResults: [{ name: 'get_weather', content: '21' }] };
    const response = await owner.call('POST', `${path}/messages`, body);
    const detail = 'No function was called; functionResults are not expected.';
    expect([code(response), response.body.detail]).toEqual(['409 INVALID_STATE', detail]);
    expect([await rowsOf('agents'), await owner.credits()]).toEqual([items, credits]);
  });

  it.each(['agt_0', 'cnv_0000000000000', 'doc_', '1; drop', 'msg_12'])(
    'with the cursor %j of another list returns 400',
    async (cursor) => {
      const query = `?cursor=${encodeURIComponent(cursor)}`;
      const { list } = await paths();
      const codes = await Promise.all(list.map(async (path) => code(await owner.call('GET', path + query))));
      const isItsOwn = [/^agt_\w+$/, /^doc_\w+$/, /^cnv_\w+$/, /^msg_\d{10}$/].map((form) => form.test(cursor));
      expect(codes).toEqual(isItsOwn.map((is) => (is ? '200 SUCCESS' : '400 INVALID_FORMAT')));
    },
  );
});

describe('a message to a model that the key or the plan does not include', () => {
  const forbidden = '403 INSUFFICIENT_PERMISSIONS';
  const absent = {
    agent: '/api/agents/agt_00000000000000000000',
    conversation: 'conversations/cnv_00000000000000000000',
  };
  const limitedKey = async ({ cookie }: Owner, limits: object): Promise<string> =>
    (await service.call('POST', '/api/keys', { cookie, body: { name: 'limited', ...limits } })).body.data.key;
  const results = { functionResults: [{ name: 'get_weather', content: '21' }] };

  /** Codes for a missing agent, a missing conversation, unexpected function results, a valid message, and an empty one. */
  async function refusals(subject: Owner, credential: { key: string } | { cookie: string }) {
    const { path } = await subject.conversation();
    const to = [
      [`${absent.agent}/${absent.conversation}`, { content: 'Hello' }],
      [`${subject.path}/${absent.conversation}`, { content: 'Hello' }],
      [path, results],
      [path, { content: 'Hello' }],
      [path, { content: '' }],
    ] as const;
    const codes = [];
    for (const [at, body] of to)
      codes.push(code(await service.call('POST', `${at}/messages`, { ...credential, body })));
    return codes;
  }

  it.each<[whose: string, limits: object, agent: string]>([
    ['of other models', { models: ['svc-code'] }, '404 NOT_FOUND'],
    ['of other services', { services: ['translation'] }, forbidden],
  ])('returns 403 before its conversation is looked up, for a key %s', async (_, limits, agent) => {
    const key = await limitedKey(owner, limits);
    const expected = [agent, forbidden, forbidden, forbidden, '400 INVALID_FORMAT'];
    expect(await refusals(owner, { key })).toEqual(expected);
  });

  it('returns 403 on a plan without the model, for keys and sessions', async () => {
    const subject = await agentOwner(service, { model: 'svc-1-32k' });
    await services().subscriptions().assign(subject.id, '2');
    const expected = ['404 NOT_FOUND', forbidden, forbidden, forbidden, '400 INVALID_FORMAT'];
    expect(await refusals(subject, { key: subject.key })).toEqual(expected);
    expect(await refusals(subject, { cookie: subject.cookie })).toEqual(expected);
  });

  it('returns 403 whether or not another key has used its Idempotency-Key', async () => {
    const { path } = await owner.conversation();
    const send = (key: string, content: string) =>
      service.call('POST', `${path}/messages`, { key, body: { content }, headers: { 'idempotency-key': 'k' } });
    const key = await limitedKey(owner, { models: ['svc-code'] });
    expect(code(await send(key, 'Hello'))).toBe(forbidden);
    expect(code(await send(owner.key, 'Hello'))).toBe('200 SUCCESS');
    for (const content of ['Hello', 'Other']) expect(code(await send(key, content))).toBe(forbidden);
  });

  it.each([
    ['now has another model', (subject: Owner) => subject.call('PATCH', subject.path, { model: 'svc-code' })],
    ['was deleted', (subject: Owner) => subject.call('DELETE', subject.path)],
  ])('returns 403 with the Idempotency-Key of another API key if the agent %s', async (_, change) => {
    const subject = await agentOwner(service);
    const { path } = await subject.conversation();
    const options = { body: { content: 'Hello' }, headers: { 'idempotency-key': 'k' } };
    const send = (key: string) => service.call('POST', `${path}/messages`, { ...options, key });
    const first = await send(subject.key);
    expect(code(first)).toBe('200 SUCCESS');
    await change(subject);
    for (const limits of [{ models: ['svc-code'] }, { services: ['embeddings'] }])
      expect(code(await send(await limitedKey(subject, limits)))).toBe(forbidden);
    expect((await send(subject.key)).body).toEqual(first.body);
    expect((await send(await limitedKey(subject, { services: ['chat'] }))).body).toEqual(first.body);
  });

  it('returns 403 with a used Idempotency-Key on a plan without the model, unless the message is the same', async () => {
    const subject = await agentOwner(service, { model: 'svc-1-32k' });
    const { path } = await subject.conversation();
    const options = { key: subject.key, headers: { 'idempotency-key': 'k' } };
    const send = (content: string) => service.call('POST', `${path}/messages`, { ...options, body: { content } });
    const first = await send('Hello');
    await services().subscriptions().assign(subject.id, '2');
    expect(code(await send('Other'))).toBe(forbidden);
    expect((await send('Hello')).body).toEqual(first.body);
  });

  it('returns 404, 409, 200 or 400 to callers who may use the model', async () => {
    const expected = ['404 NOT_FOUND', '404 NOT_FOUND', '409 INVALID_STATE', '200 SUCCESS', '400 INVALID_FORMAT'];
    expect(await refusals(owner, { cookie: owner.cookie })).toEqual(expected);
    expect(await refusals(owner, { key: owner.key })).toEqual(expected);
  });
});
