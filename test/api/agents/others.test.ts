import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentOwner, type Owner } from '#test/agents/owner.ts';
import { rowsOf } from '#test/database/rows.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let owner: Owner;
let other: Owner;
beforeAll(async () => {
  service = await startTestService();
  [owner, other] = [await agentOwner(service), await agentOwner(service)];
});
afterAll(() => service.close());

describe("another account's", () => {
  it('agent, document and conversation are not there, whatever is done to them', async () => {
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
      // Through an agent of one's own.
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

  it('cursors open nothing: a page of one’s own begins after them, and has nothing of theirs', async () => {
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
