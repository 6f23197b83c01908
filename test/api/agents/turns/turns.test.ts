import { describe, expect, it } from 'vitest';
import { agentOwner } from '#test/agents/owner.ts';
import { code, useTestService } from '#test/service/service.ts';

const service = useTestService();

const weather = {
  name: 'get_weather',
  description: 'The weather in a city now',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

describe('a turn', () => {
  it('costs one credit, and is stored with its reply', async () => {
    const owner = await agentOwner(service);
    const before = await owner.credits();
    const conversation = await owner.conversation();
    const first = await conversation.write('Hello there');
    expect(code(first)).toBe('200 SUCCESS');
    expect(first.body.data).toMatchObject({
      message: { role: 'assistant', content: expect.stringContaining('demo engine') },
      status: 'completed',
      sources: [],
      context: { window: 4096, used: expect.any(Number), droppedMessages: 0, summarized: false },
      credits: 1,
    });
    expect(first.headers.get('x-credits-charged')).toBe('1');
    await conversation.write('And again');
    await service.settled();
    expect(before - (await owner.credits())).toBe(2);
    const kept = await conversation.get();
    expect(kept).toMatchObject({ status: 'idle', messageCount: 4 });
    expect(kept.messages.items.map(({ role, content }: any) => [role, content]).toReversed()).toEqual([
      ['user', 'Hello there'],
      ['assistant', first.body.data.message.content],
      ['user', 'And again'],
      ['assistant', expect.stringContaining('message number 2')],
    ]);
  });

  it('streams pieces, then its metadata, then the end, and is stored with the streamed text', async () => {
    const owner = await agentOwner(service);
    const conversation = await owner.conversation();
    const envelopes = await conversation.stream({ content: 'Hello there' });
    expect(envelopes.at(-1)).toEqual({ message: 'STREAM_COMPLETE', error: false, data: null, status: 200 });
    const last = envelopes.at(-2);
    expect(last).toMatchObject({
      message: 'STREAM_CHUNK',
      data: { message: { role: 'assistant' }, status: 'completed', sources: [], credits: 1 },
    });
    expect(last.data.message).not.toHaveProperty('content');
    const text = envelopes.slice(0, -2).map(({ data }) => data.delta.content ?? '');
    expect(text.length).toBeGreaterThan(3);
    const { messages } = await conversation.get();
    expect(messages.items[0]).toMatchObject({ id: last.data.id, role: 'assistant', content: text.join('') });
  });

  it('returns a function call to the client, and accepts only its result as the next message', async () => {
    const owner = await agentOwner(service, { functions: [weather] });
    const conversation = await owner.conversation();
    const called = await conversation.write('What is the weather in Oslo?');
    expect(called.body.data).toMatchObject({
      status: 'requires_action',
      message: { content: '', function_call: { name: 'get_weather', arguments: expect.stringContaining('Oslo') } },
    });
    expect((await conversation.get()).status).toBe('awaiting_function');
    const credits = await owner.credits();
    expect(code(await conversation.write('Well?'))).toBe('409 INVALID_STATE');
    const wrong = await conversation.send({ functionResults: [{ name: 'get_time', content: '12:00' }] });
    expect([code(wrong), wrong.body.detail]).toEqual([
      '400 INVALID_FORMAT',
      'functionResults.0.name must be get_weather, the function that was called.',
    ]);
    expect(await owner.credits()).toBe(credits);
    const done = await conversation.send({ functionResults: [{ name: 'get_weather', content: '{"celsius":21}' }] });
    expect(done.body.data).toMatchObject({
      status: 'completed',
      message: { content: expect.stringContaining('celsius is 21') },
    });
    expect(code(await conversation.send({ functionResults: [{ name: 'get_weather', content: '1' }] }))).toBe(
      '409 INVALID_STATE',
    );
    const roles = (await conversation.get()).messages.items.map(({ role }: any) => role).toReversed();
    expect(roles).toEqual(['user', 'assistant', 'function', 'assistant']);
  });
});

describe('documents', () => {
  it('are retrieved for a message about their subject, and cited as sources', async () => {
    const owner = await agentOwner(service);
    const credits = await owner.credits();
    const text = 'The office opens at nine. Parking is in the basement of the east wing, for which a badge is needed.';
    const document = await owner.addDocument({ name: 'Handbook', text });
    expect(document).toMatchObject({ status: 'ready', chunks: 1, indexedChunks: 1, name: 'Handbook' });
    await service.settled();
    expect(credits - (await owner.credits())).toBeLessThanOrEqual(1);
    const conversation = await owner.conversation();
    const turn = await conversation.write('Where is parking?');
    expect(turn.body.data.sources).toEqual([
      { documentId: document.id, name: 'Handbook', start: 0, end: text.length, score: expect.any(Number) },
    ]);
    expect(turn.body.data.message.content).toContain('According to Handbook: Parking is in the basement');
    expect((await conversation.write('Who painted the Mona Lisa?')).body.data.sources).toEqual([]);
    expect(code(await owner.call('DELETE', `${owner.path}/documents/${document.id}`))).toBe('200 SUCCESS');
    expect((await conversation.write('Where is parking?')).body.data.sources).toEqual([]);
    expect((await owner.call('GET', owner.path)).body.data.chunks).toBe(0);
  });
});
