import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenize } from '#local/sagemaker/words.ts';
import { chats, error, openAiCalls, prompt } from '#test/requests/openai-calls.ts';
import { chat, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let person: Person;
beforeAll(async () => {
  service = await startTestService();
  person = await service.person({ planRank: 4 });
});
afterAll(() => service.close());

const { send, spendable } = openAiCalls(
  () => service,
  () => person,
);

describe('a stream', () => {
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
  /** What every chunk of the stream has. */
  const headOf = (text: string) => {
    const { id, object, created, model } = JSON.parse(text.slice('data: '.length, text.indexOf('\n')));
    return { id, object, created, model };
  };

  it('of a chat is, to the byte, role, deltas, end, usage where it is requested, and [DONE]', async () => {
    const body = { ...chat('Tell me of rivers'), max_tokens: 3 };
    const whole = (await send(chats, body)).json();
    const tokens = tokenize(whole.choices[0].message.content);
    for (const include_usage of [false, true]) {
      const { text, headers } = await send(chats, { ...body, stream: true, stream_options: { include_usage } });
      const head = headOf(text);
      expect(head).toEqual({
        id: `chatcmpl-${headers.get('x-request-id')}`,
        object: 'chat.completion.chunk',
        created: expect.any(Number),
        model: 'svc-1',
      });
      const usage = include_usage && { usage: null };
      const chunk = (delta: object, finish_reason: string | null = null) =>
        event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...usage });
      const expected = [
        chunk({ role: 'assistant', content: '', refusal: null }),
        ...tokens.map((content) => chunk({ content })),
        chunk({}, 'length'),
        ...(include_usage ? [event({ ...head, choices: [], usage: whole.usage })] : []),
        'data: [DONE]\n\n',
      ];
      expect(text).toBe(expected.join(''));
      expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(headers.get('x-credits-held')).toBe('1');
    }
  });

  it('of a completion is, to the byte, texts, end, usage where it is requested, and [DONE]', async () => {
    const body = { ...prompt, max_tokens: 3 };
    const whole = (await send('/openai/v1/completions', body)).json();
    const tokens = tokenize(whole.choices[0].text);
    for (const include_usage of [false, true]) {
      const params = { ...body, stream: true, stream_options: { include_usage } };
      const { text } = await send('/openai/v1/completions', params);
      const head = headOf(text);
      expect(head).toMatchObject({ object: 'text_completion', model: 'svc-instruct' });
      const usage = include_usage && { usage: null };
      const chunk = (piece: string, finish_reason: string | null = null) =>
        event({ ...head, choices: [{ text: piece, index: 0, logprobs: null, finish_reason }], ...usage });
      const expected = [
        ...tokens.map((piece) => chunk(piece)),
        chunk('', 'length'),
        ...(include_usage ? [event({ ...head, choices: [], usage: whole.usage })] : []),
        'data: [DONE]\n\n',
      ];
      expect(text).toBe(expected.join(''));
    }
  });

  it.each([
    [chats, chat('A long story')],
    ['/openai/v1/completions', prompt],
  ])(
    'of %s that breaks off ends with an error and no [DONE], and is charged like the enveloped one',
    async (path, body) => {
      const charges: number[] = [];
      for (const each of [path, path.replace('/openai', '')]) {
        await service.post('/_local/faults', { target: 'sagemaker', fault: 'cut' });
        const before = await spendable();
        const { status, text } = await send(each, { ...body, stream: true });
        charges.push(before - (await spendable()));
        expect(status).toBe(200);
        if (each !== path) continue;
        const last = text.split('\n\n').at(-2) ?? '';
        const sentence = expect.stringMatching(/model .*\.$/);
        expect(JSON.parse(last.replace('data: ', ''))).toEqual(error(sentence, 'server_error', null, 'model_error'));
        expect(text).not.toContain('[DONE]');
      }
      expect(charges[0]).toBe(charges[1]);
      expect(charges[0]).toBeGreaterThan(0);
    },
  );
});
