import { beforeAll, describe, expect, it } from 'vitest';
import { agentOwner, type Owner } from '#test/agents/owner.ts';
import { rowsOf } from '#test/database/rows.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService();

let owner: Owner;

let other: Owner;

beforeAll(async () => {
  [owner, other] = [await agentOwner(service), await agentOwner(service)];
});

describe('another account', () => {
  it('receives 404 for every operation on a foreign agent, document or conversation', async () => {
    const { id: documentId } = await owner.addDocument({ name: 'a', text: 'A text.' });
    const { path, id } = await owner.conversation();
    await owner.call('POST', `${path}/messages`, { content: 'A secret' });
    const items = await rowsOf('agents');
    const attempts: [string, string, object?][] = [
      ['GET', owner.path],
      ['PATCH', owner.path, { name: 'Mine' }],
      ['DELETE', owner.path],
      ['POST', `${owner.path}/documents`, { name: 'a', text: 'A text.' }],
      ['GET', `${owner.path}/documents`],
      ['DELETE', `${owner.path}/documents/${documentId}`],
      ['DELETE', `${other.path}/documents/${documentId}`],
      ['POST', `${owner.path}/conversations`],
      ['GET', `${owner.path}/conversations`],
      ['GET', path],
      ['DELETE', path],
      ['POST', `${path}/messages`, { content: 'Hello' }],
      // Through an own agent.
      ['GET', `${other.path}/conversations/${id}`],
      ['DELETE', `${other.path}/conversations/${id}`],
      ['POST', `${other.path}/conversations/${id}/messages`, { content: 'Hello' }],
    ];
    const credits = await other.credits();
    for (const [method, at, body] of attempts)
      expect([method, at, code(await other.call(method, at, body))]).toEqual([method, at, '404 NOT_FOUND']);
    expect([await rowsOf('agents'), await other.credits()]).toEqual([items, credits]);
    expect((await other.call('GET', `/api/agents?cursor=${owner.agent.id}`)).body.data.items).not.toContainEqual(
      expect.objectContaining({ id: owner.agent.id }),
    );
  });

  it('receives only its own items with a foreign cursor', async () => {
    const document = await owner.addDocument({ name: 'a', text: 'A text.' });
    const conversation = await owner.conversation();
    await conversation.write('A secret');
    const pages: [list: string, cursor: string][] = [
      ['/api/agents', owner.agent.id],
      [`${other.path}/documents`, document.id],
      [`${other.path}/conversations`, conversation.id],
      [(await other.conversation()).path, 'msg_0000000001'],
    ];
    for (const [list, cursor] of pages) {
      const response = await other.call('GET', `${list}?cursor=${cursor}`);
      expect([list, code(response)]).toEqual([list, '200 SUCCESS']);
      const text = JSON.stringify(response.body.data);
      for (const theirs of [owner.agent.id, document.id, conversation.id, 'A secret'])
        expect(text).not.toContain(theirs);
    }
  });
});

const absent = 'agt_00000000000000000000';

async function limited(limits: object) {
  const owner = await agentOwner(service);
  const { cookie } = owner;
  const made = await service.call('POST', '/api/keys', { cookie, body: { name: 'limited', ...limits } });
  const { key } = made.body.data;
  const call = (method: string, path: string, body?: object) =>
    service.call(method, path, { key, ...(body && { body }) });
  return { owner, call, conversation: await owner.conversation() };
}

describe('a key restricted to other services', () => {
  it('is refused with 403, after 400 for an invalid body and before 404 for a missing agent', async () => {
    const { owner, call, conversation } = await limited({ services: ['translation'] });
    const messages = `${conversation.path}/messages`;
    const document = { name: 'Handbook', text: 'Parking is free.' };
    const documents = `/api/agents/${absent}/documents`;
    const requests: [path: string, body: object, expected: string][] = [
      [messages, { content: 'Hello', stream: true }, '403 INSUFFICIENT_PERMISSIONS'],
      [documents, document, '403 INSUFFICIENT_PERMISSIONS'],
      [documents, { name: 'Handbook' }, '400 INVALID_FORMAT'],
    ];
    for (const [path, body, expected] of requests)
      expect([path, body, code(await call('POST', path, body))]).toEqual([path, body, expected]);
    expect(code(await owner.call('POST', documents, document))).toBe('404 NOT_FOUND');
  });

  it('can manage agents, because its limits apply only to priced operations', async () => {
    const { owner, call } = await limited({ services: ['translation'] });
    expect(code(await call('GET', owner.path))).toBe('200 SUCCESS');
    expect(code(await call('PATCH', owner.path, { name: 'Other' }))).toBe('200 SUCCESS');
  });
});

it('a key restricted to other models is refused a document with 403 before the agent is looked up', async () => {
  const { call } = await limited({ models: ['svc-1'] });
  const document = { name: 'Handbook', text: 'Parking is free.' };
  const refused = await call('POST', `/api/agents/${absent}/documents`, document);
  expect(code(refused)).toBe('403 INSUFFICIENT_PERMISSIONS');
});
