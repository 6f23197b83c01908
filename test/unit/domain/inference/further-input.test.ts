import * as v from 'valibot';
import { afterAll, expect, it, vi } from 'vitest';
import { defaultOffer } from '#contract/offer/default-offer.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { forgetOffer } from '#test/meter/priced-service.ts';

afterAll(forgetOffer);

/** A microcredit for each token. */
const price = { perRequest: 0, input: 1_000_000, cachedInput: 1_000_000, cacheWrite: 1_000_000, output: 1_000_000 };

const schema = { type: 'object', description: 'Words about a field. '.repeat(500) };
const response_format = { type: 'json_schema', json_schema: { name: 'reply', schema } };

const id = 'call-'.padEnd(256, 'abc ');
const tool_calls = [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }];
const messages = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: null, tool_calls },
  { role: 'tool', tool_call_id: id, content: 'x' },
];

it.each([
  ['the schema of its reply', { response_format }, JSON.stringify(response_format)],
  ['the ids of calls', { messages }, id + id],
])('a chat by tokens holds %s, which some models read as input', async (_name, fields, read) => {
  vi.resetModules();
  const models = defaultOffer.models.map((model) => ({ ...model, price }));
  process.env['OFFER'] = JSON.stringify({ ...defaultOffer, models });
  const [{ inference }, { OpenAiChatRequest }, { conversationOfOpenAi }, { openAiChat }] = await Promise.all([
    import('#domain/inference/inference.ts'),
    import('#contract/inference/openai.ts'),
    import('#domain/inference/conversation.ts'),
    import('#domain/inference/openai-format.ts'),
  ]);
  const { orderChat } = inference({ chat: () => undefined } as never, bpeTokenizer, { now: () => 0 });
  const orderOf = (given: object) => {
    const body = { model: 'svc-1', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }], ...given };
    const request = v.parse(OpenAiChatRequest, body);
    return orderChat(conversationOfOpenAi(request), openAiChat(request), async () => undefined);
  };
  const tokens = await bpeTokenizer.count(read);

  const [plain, longer] = [await orderOf({}), await orderOf(fields)];

  expect(longer.amount - plain.amount).toBeGreaterThanOrEqual(tokens);
  const lean = await longer.within?.(plain.amount + tokens + 100);
  expect(lean?.amount).toBeGreaterThanOrEqual(tokens);
  expect(await longer.within?.(plain.amount)).toBeUndefined();
});
