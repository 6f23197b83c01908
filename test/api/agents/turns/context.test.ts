import { describe, expect, it } from 'vitest';
import { agentModel, partedCalls, type SentRequest, tokensOfRequest } from '#test/agents/agent-model.ts';
import { agentOwner } from '#test/agents/owner.ts';
import { atLength, patience } from '#test/many.ts';
import { useScriptedService } from '#test/service/scripted-service.ts';
import { type ApiResponse, code } from '#test/service/service.ts';

const service = useScriptedService({ families: {}, deadlineMs: 20_000 });

const lookUp = { name: 'look_up', description: 'Looks a word up', parameters: { type: 'object', properties: {} } };
const words = ['river', 'Brücke', 'bank', '日本語', 'lantern', 'quietly', 'münde', 'of', 'the', '🌊'];
const textOf = (length: number, seed: number): string =>
  Array.from({ length }, (_, at) => words[(at * 7 + seed * 3) % words.length]).join(' ');

const turns = atLength(24, 50);

/** Every third turn calls a function first. */
const calls = (turn: number): boolean => turn % 3 === 2;

describe('a long conversation with a window of 4,096 tokens', () => {
  it.each(['drop', 'summarize'])(
    'fits each request into the window with truncation %s, keeps each call with its result, and reports omissions',
    { timeout: patience },
    async (truncation) => {
      let turn = 0;
      const model = agentModel(
        ({ messages }) => (calls(turn) && messages.at(-1)?.role === 'user' ? { call: 'look_up' } : textOf(40, turn)),
        () => `The summary of turn ${turn}.`,
      );
      service.model.becomes(model.engine);
      const about = { functions: [lookUp], maxTokens: 300, truncation, instructions: 'You know rivers.' };
      const owner = await agentOwner(service.calls, about, service.person);
      const conversation = await owner.conversation();
      let before = 0;
      let dropped = 0;

      async function check(message: object): Promise<void> {
        const response = await conversation.send(message);
        expect(code(response)).toBe('200 SUCCESS');
        const request = model.sent.at(-1) as SentRequest;
        const { context } = response.body.data;
        const system = request.messages[0]?.content ?? '';
        const earlier = request.messages.length - 1 - 1;
        expect(context).toEqual({
          window: 4096,
          used: await tokensOfRequest(request),
          droppedMessages: before - earlier,
          summarized: system.includes('{"summary":'),
        });
        expect(context.used + request.max_tokens).toBeLessThanOrEqual(4096);
        expect([request.max_tokens, partedCalls(request)]).toEqual([300, 0]);
        expect(system.startsWith('You know rivers.')).toBe(true);
        before += 2;
        dropped = context.droppedMessages;
      }

      for (turn = 0; turn < turns; turn++) {
        await check({ content: textOf(10 + ((turn * 37) % 120), turn) });
        if (calls(turn)) await check({ functionResults: [{ name: 'look_up', content: textOf(30, turn) }] });
      }
      expect(dropped).toBeGreaterThan(turns / 3);
      expect(model.summaries() > 0).toBe(truncation === 'summarize');
      // A summary covers several dropped messages.
      expect(model.summaries()).toBeLessThan(20);
      const { summary, messageCount } = await conversation.get();
      expect([messageCount, summary !== null]).toEqual([before, truncation === 'summarize']);
    },
  );

  it(
    'refuses a message over the window without a charge with truncation error, and accepts one that fits',
    { timeout: patience },
    async () => {
      const model = agentModel(() => textOf(200, 1));
      service.model.becomes(model.engine);
      const owner = await agentOwner(service.calls, { truncation: 'error', maxTokens: 300 }, service.person);
      const conversation = await owner.conversation();
      let refused: ApiResponse | undefined;
      for (let turn = 0; turn < 50 && !refused; turn++) {
        const response = await conversation.write(textOf(200, turn));
        if (response.status !== 200) refused = response;
        else expect(response.body.data.context.droppedMessages).toBe(0);
      }
      expect([refused && code(refused), refused?.body.detail]).toEqual([
        '400 CONTEXT_LENGTH_EXCEEDED',
        expect.stringMatching(
          /^context_length_exceeded: svc-1 accepts 4096 tokens, and the prompt of .* with 300 tokens of output needs /,
        ),
      ]);
      const invocations = service.model.invocations();
      expect(await service.charged(() => conversation.write(textOf(200, 2)))).toBe(0);
      expect([service.model.invocations(), (await conversation.get()).status]).toEqual([invocations, 'idle']);
    },
  );

  it('refuses a message that exceeds the window alone', async () => {
    service.model.becomes(agentModel(() => 'Hello').engine);
    const owner = await agentOwner(service.calls, {}, service.person);
    const conversation = await owner.conversation();
    const refused = await conversation.write(textOf(4000, 1));
    expect(code(refused)).toBe('400 CONTEXT_LENGTH_EXCEEDED');
    expect((await conversation.get()).messageCount).toBe(0);
  });
});
