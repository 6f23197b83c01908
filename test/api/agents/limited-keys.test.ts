import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentOwner } from '#test/agents/owner.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

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

describe('a key of other services', () => {
  it('is refused as such before what it names is, and after a body that is bad', async () => {
    const { owner, call, conversation } = await limited({ services: ['translation'] });
    const messages = `${conversation.path}/messages`;
    const result = { functionResults: [{ name: 'a', content: 'b' }] };
    const document = { name: 'Handbook', text: 'Parking is free.' };
    const requests: [path: string, body: object, expected: string][] = [
      [messages, { content: 'Hello' }, '403 INSUFFICIENT_PERMISSIONS'],
      [messages, result, '403 INSUFFICIENT_PERMISSIONS'],
      [messages, { content: 'Hello', stream: true }, '403 INSUFFICIENT_PERMISSIONS'],
      [`${owner.path}/conversations/cnv_0/messages`, { content: 'Hello' }, '403 INSUFFICIENT_PERMISSIONS'],
      [`/api/agents/${absent}/documents`, document, '403 INSUFFICIENT_PERMISSIONS'],
      [messages, {}, '400 INVALID_FORMAT'],
      [`/api/agents/${absent}/documents`, { name: 'Handbook' }, '400 INVALID_FORMAT'],
    ];
    for (const [path, body, expected] of requests)
      expect([path, body, code(await call('POST', path, body))]).toEqual([path, body, expected]);
    expect(code(await owner.call('POST', messages, result))).toBe('409 INVALID_STATE');
    expect(code(await owner.call('POST', `/api/agents/${absent}/documents`, document))).toBe('404 NOT_FOUND');
  });

  it('manages agents all the same: its limits bound what is priced', async () => {
    const { owner, call } = await limited({ services: ['translation'] });
    expect(code(await call('GET', owner.path))).toBe('200 SUCCESS');
    expect(code(await call('PATCH', owner.path, { name: 'Other' }))).toBe('200 SUCCESS');
  });
});

it('a key of other models is refused a document as such before the agent is', async () => {
  const { call } = await limited({ models: ['svc-1'] });
  const document = { name: 'Handbook', text: 'Parking is free.' };
  const refused = await call('POST', `/api/agents/${absent}/documents`, document);
  expect(code(refused)).toBe('403 INSUFFICIENT_PERMISSIONS');
});
