import { afterAll, beforeAll, expect, it } from 'vitest';
import { beginConversation } from '#test/agents/owner.ts';
import { done } from '#test/models/scripted-model.ts';
import {
  chatEnd,
  chatPiece,
  type ScriptedService,
  startScriptedService,
  textReader,
} from '#test/service/scripted-service.ts';
import { code } from '#test/service/service.ts';

let service: ScriptedService;
beforeAll(async () => {
  service = await startScriptedService({ families: {}, deadlineMs: 20_000 });
});
afterAll(() => service.close());

const begin = (about?: object) => beginConversation(service, about);

it.each(['conversation', 'agent'])('a streamed turn whose %s is deleted while it is read is charged', async (what) => {
  const { owner, conversation } = await begin();
  const rest = Promise.withResolvers<void>();
  service.model.streams([chatPiece('Grüß'), () => rest.promise, chatPiece(' dich'), chatEnd, done]);
  let text = '';
  const charged = await service.charged(async () => {
    const read = textReader(await service.open(`${conversation.path}/messages`, { content: 'Hello', stream: true }));
    text = await read((begun) => begun.includes('Grüß'));
    expect(code(await owner.call('DELETE', what === 'agent' ? owner.path : conversation.path))).toBe('200 SUCCESS');
    rest.resolve();
    text += await read(() => false);
  });
  expect(text).toContain(' dich');
  expect(text).toContain('NOT_FOUND');
  expect(charged).toBe(1_000_000);
});

const toolCall = { index: 0, id: 'x', type: 'function', function: { name: 'rm', arguments: '{}' } };

it.each<[what: string, pieces: readonly object[]]>([
  [
    'calls a function that the agent does not have',
    [{ choices: [{ index: 0, delta: { tool_calls: [toolCall] } }] }, { ...chatEnd }],
  ],
  ['goes on until it is too long to be kept', [chatPiece('a'.repeat(310_000)), chatEnd]],
])('a streamed turn that %s is charged for the text before it, and leaves nothing', async (_, pieces) => {
  const { conversation } = await begin({ functions: [{ name: 'known' }] });
  service.model.streams([chatPiece('Grüß dich'), ...pieces, done]);
  let envelopes: any[] = [];
  const charged = await service.charged(async () => (envelopes = await conversation.stream({ content: 'Hello' })));
  expect(envelopes[0].data.delta.content).toBe('Grüß dich');
  expect(envelopes.at(-1)).toMatchObject({ message: 'MODEL_ERROR', error: true });
  expect([charged, await conversation.get()]).toMatchObject([1_000_000, { status: 'idle', messageCount: 0 }]);
});
