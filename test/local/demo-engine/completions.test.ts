import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTokens, tokenize } from '#local/sagemaker/words.ts';
import { type Choice, contentOf, invoke, invokeStream, user } from '#test/models/demo-engine.ts';

const shapes = [
  ['chat', (text: string) => user(text)],
  ['completion', (text: string) => ({ prompt: text })],
] as const;
const textOf = (choice: Choice) => choice.message?.content ?? choice.text;

describe.each(shapes)('%s', (name, bodyOf) => {
  it('names the demo engine, and differs only for different requests', async () => {
    const body = bodyOf('Describe the harbour');
    const texts = await Promise.all(
      [body, body, bodyOf('Describe the mountain')].map(async (each) => textOf((await invoke(each)).choices[0])),
    );
    expect(texts[0]).toMatch(/built-in demo engine.*harbour/s);
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it('generates at most max_tokens tokens, with the finish reason length, and counts them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 400 }), async (text, max_tokens) => {
        const { choices, usage } = await invoke({ ...bodyOf(`${text} long`), max_tokens });
        const made = textOf(choices[0]);
        expect(usage.completion_tokens).toBe(countTokens(made));
        expect(usage.completion_tokens).toBe(max_tokens);
        expect(choices[0].finish_reason).toBe('length');
        expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
        expect(usage.prompt_tokens).toBeGreaterThanOrEqual(countTokens(`${text} long`));
      }),
      { numRuns: 60 },
    );
  });

  it('ends before a stop sequence, wherever it occurs', async () => {
    const whole = textOf((await invoke(bodyOf('Tell me about rivers'))).choices[0]);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 12 }), async (from, length) => {
        const stop = whole.slice(from, from + length);
        const { choices, usage } = await invoke({ ...bodyOf('Tell me about rivers'), stop: ['never in it', stop] });
        expect(textOf(choices[0])).toBe(whole.slice(0, whole.indexOf(stop)));
        expect(choices[0].finish_reason).toBe('stop');
        expect(usage.completion_tokens).toBe(countTokens(textOf(choices[0])));
      }),
      { numRuns: 60 },
    );
  });

  it('streams the tokens of the whole reply one by one, then the finish reason, then the usage', async () => {
    const body = { ...bodyOf('How long is the night in Tromsø?'), max_tokens: 70, stop: 'zzz' };
    const whole = await invoke(body);
    const events = await invokeStream(body);
    const pieces = events.flatMap(({ choices: [choice] }) =>
      choice ? [choice.text ?? choice.delta.content ?? ''] : [],
    );
    expect(pieces.join('')).toBe(textOf(whole.choices[0]));
    expect(pieces.filter(Boolean)).toEqual(tokenize(textOf(whole.choices[0])));
    expect(events.at(-2)?.choices[0].finish_reason).toBe(whole.choices[0].finish_reason);
    expect(events.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    const firstDelta = events[0]?.choices[0].delta;
    expect(firstDelta?.role).toBe(name === 'chat' ? 'assistant' : undefined);
    expect(events.slice(0, -2).every(({ choices }) => choices[0].finish_reason === null)).toBe(true);
  });

  it('reports the usage so far with each token if continuous_usage_stats is on', async () => {
    const body = { ...bodyOf('How long is the night in Tromsø?'), max_tokens: 7 };
    const { usage } = await invoke(body);
    const events = await invokeStream(body, { include_usage: true, continuous_usage_stats: true });
    const pieces = events.filter(({ choices: [choice] }) => choice?.text || choice?.delta?.content);
    expect(pieces.map((piece) => piece.usage)).toEqual(
      pieces.map((_, index) => ({
        prompt_tokens: usage.prompt_tokens,
        completion_tokens: index + 1,
        total_tokens: usage.prompt_tokens + index + 1,
      })),
    );
    expect(events.slice(-2).map((event) => event.usage)).toEqual([usage, usage]);
    for (const options of [{ include_usage: true }, { include_usage: false, continuous_usage_stats: true }]) {
      const without = (await invokeStream(body, options)).filter(({ choices }) => choices.length > 0);
      expect(without.filter((event) => event.usage)).toEqual([]);
    }
  });

  it('returns 400 with the message of vLLM if a request exceeds the context', async () => {
    const tooMuch = await invoke({ ...bodyOf('hi'), max_tokens: 131_072 }, 400);
    expect(tooMuch.error).toMatchObject({ type: 'BadRequestError', param: null, code: 400 });
    expect(tooMuch.error.message).toContain("This model's maximum context length is 131072 tokens");
    expect((await invoke(bodyOf('word '.repeat(132_000)), 400)).error.message).toContain('maximum context length');
  });

  it.each([[{ max_tokens: 0 }], [{ max_tokens: 1.5 }], [{ stop: 7 }], [{ stream: 'yes' }]])(
    'returns 400 for %j',
    async (wrong) => {
      const { error } = await invoke({ ...bodyOf('hi'), ...wrong }, 400);
      expect(error).toMatchObject({ type: 'BadRequestError', param: null, code: 400 });
    },
  );
});

describe('bodies', () => {
  it.each([
    [null],
    ['text'],
    [[]],
    [{}],
    [{ messages: [] }],
    [{ messages: 'hi' }],
    [{ messages: [{ content: 'hi' }] }],
    [{ prompt: 7 }],
    [{ input: [] }],
    [{ input: 'x', dimensions: 0 }],
    [{ input: 'x', dimensions: 5000 }],
    [{ input: 'x', encoding_format: 'hex' }],
  ])('with invalid fields are refused with 400: %j', async (body) => {
    expect((await invoke(body as object, 400)).error.code).toBe(400);
  });
});

describe('translation', () => {
  const translate = (
    text: string,
    order = 'Translate the text from English to German. Answer with the translation only.',
  ) =>
    contentOf({
      messages: [
        { role: 'system', content: order },
        { role: 'user', content: text },
      ],
    });

  it('replaces known words, keeps the others, and adds nothing', async () => {
    expect(await translate('Good morning! The red house is in Hamburg.')).toBe(
      'Guten Morgen! Die rot Haus ist in Hamburg.',
    );
    expect(await translate('Good morning!', 'You translate. Target language: fr. Source language: en.')).toBe(
      'Bon matin!',
    );
    expect(await translate('Guten Morgen', 'Translate from German into English.')).toBe('Good Morning');
  });
});
