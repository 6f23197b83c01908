import { expect, it } from 'vitest';
import { limits } from '#contract/shared/limits.ts';
import { useCountedApi } from '#test/service/watched/counted-api.ts';

const api = useCountedApi();

/** Half of a surrogate pair: UTF-8 cannot encode it, so it cannot be sent to a model. */
const lone = 'a\ud83d b';

const user = { role: 'user', content: 'Hello' };
const chat = (more: object) => ({ model: 'svc-1', messages: [user], ...more });
const completion = (more: object) => ({ model: 'svc-1', prompt: 'Hello', ...more });
const withMessage = (message: object) => chat({ messages: [user, message] });
const offers = (definition: object) => chat({ functions: [{ name: 'f', ...definition }] });
const tool = (definition: object) => chat({ tools: [{ type: 'function', function: { name: 'f', ...definition } }] });
const withResponseFormat = (json_schema: object) => chat({ response_format: { type: 'json_schema', json_schema } });

const [chats, openAiChats] = ['/v1/chat/completions', '/openai/v1/chat/completions'];
const anthropicChats = '/anthropic/v1/messages';
const anthropic = (more: object) => chat({ max_tokens: 9, ...more });
const said = (content: unknown) => anthropic({ messages: [{ role: 'user', content }] });
const calling = (input: object) =>
  anthropic({ messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }] }, user] });

it.each<[string, string, object]>([
  ['/v1/completions', 'prompt', completion({ prompt: lone })],
  ['/v1/completions', 'stop', completion({ stop: lone })],
  ['/v1/completions', 'stop', completion({ stop: ['a', lone] })],
  ['/openai/v1/completions', 'prompt', completion({ prompt: lone })],
  ['/openai/v1/completions', 'prompt', completion({ prompt: [lone] })],
  ['/openai/v1/completions', 'stop', completion({ stop: lone })],
  ['/v1/embeddings', 'input', { model: 'svc-embed', input: lone }],
  ['/v1/embeddings', 'input', { model: 'svc-embed', input: ['a', lone] }],
  ['/openai/v1/embeddings', 'input', { model: 'svc-embed', input: [lone] }],
  [chats, 'messages.0.content', chat({ messages: [{ role: 'user', content: lone }] })],
  [chats, 'messages.1.name', withMessage({ role: 'function', name: lone, content: 'x' })],
  [chats, 'messages.1.content', withMessage({ role: 'function', name: 'f', content: lone })],
  [
    chats,
    'messages.1.function_call.arguments',
    withMessage({ role: 'assistant', function_call: { name: 'f', arguments: lone } }),
  ],
  [chats, 'stop', chat({ stop: lone })],
  [chats, 'functions.0.name', offers({ name: lone })],
  [chats, 'functions.0.description', offers({ description: lone })],
  [chats, 'functions.0.parameters', offers({ parameters: { properties: { a: { enum: ['x', lone] } } } })],
  [chats, 'functions.0.parameters', offers({ parameters: { [lone]: {} } })],
  [openAiChats, 'messages.0.content', chat({ messages: [{ role: 'user', content: [{ type: 'text', text: lone }] }] })],
  [openAiChats, 'tools.0.function.parameters', tool({ parameters: { title: lone } })],
  [openAiChats, 'response_format.json_schema.schema', withResponseFormat({ name: 's', schema: { title: lone } })],
  [anthropicChats, 'messages.0.content', said(lone)],
  [anthropicChats, 'messages.0.content has an invalid block: 0.text', said([{ type: 'text', text: lone }])],
  [anthropicChats, 'messages.0.content has an invalid block: 0.input', calling({ a: [lone] })],
  [anthropicChats, 'system', anthropic({ system: lone })],
  [anthropicChats, 'stop_sequences.0', anthropic({ stop_sequences: [lone] })],
  [anthropicChats, 'tools.0.input_schema', anthropic({ tools: [{ name: 'f', input_schema: { title: lone } }] })],
  ['/api/ai/analyze', 'text', { text: lone, analyses: ['pii'] }],
  ['/api/ai/analyze', 'labels.1', { text: 'x', analyses: ['categories'], labels: ['a', lone] }],
  ['/api/ai/translate', 'text', { text: lone, sourceLanguage: 'en', targetLanguage: 'fr' }],
])('%s refuses a lone surrogate and names its field, before it calls the model: %s', async (path, field, body) => {
  const { key } = await api.account();
  const { status, text, operations } = await api.post(path, key, body);
  expect([status, operations]).toEqual([400, ['GetItem']]);
  const { detail, error } = JSON.parse(text) as { detail?: string; error?: { message?: string } };
  expect(detail ?? error?.message).toMatch(new RegExp(`^${field.replaceAll('.', '\\.')} .*well-formed Unicode`));
});

it.each([chats, openAiChats, '/v1/completions', '/openai/v1/completions'])(
  '%s bounds the length of a stop sequence, alone and in a list',
  async (path) => {
    const { key } = await api.account();
    const resultOf = (stop: unknown) =>
      api
        .post(path, key, { ...(path.includes('chat') ? chat({}) : completion({})), stop })
        .then(({ status, text }) => [
          status,
          /must (have at most|be well-formed Unicode of 1 to) 256 characters/.test(text),
        ]);
    const [longest, over] = [
      '😀'.repeat(limits.stopSequenceCharacters),
      '😀'.repeat(limits.stopSequenceCharacters + 1),
    ];
    expect(await resultOf(over)).toEqual([400, true]);
    expect(await resultOf(['a', over])).toEqual([400, true]);
    expect((await resultOf(longest))[0]).not.toBe(400);
  },
);
