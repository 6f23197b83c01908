import type * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { AgentChange, AgentQuery, NewAgent } from '#contract/agents/agents.ts';
import { MessageQuery, NewMessage } from '#contract/agents/conversations.ts';
import { NewDocument } from '#contract/agents/documents.ts';
import { services } from '#runtime/services/container.ts';
import { type BrokenRule, ofAgents, ofDocuments, ofLists, ofMessages } from '#test/agents/broken-rules.ts';
import { agentOwner, type Owner } from '#test/agents/owner.ts';
import { rulesOf } from '#test/contract/rules.ts';
import { rowsOf } from '#test/database/rows.ts';
import { code, useTestService } from '#test/service/service.ts';

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

describe('a message to a model outside the key or the plan', () => {
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
