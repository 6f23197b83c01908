import { ModelError, ModelStreamError } from '@aws-sdk/client-sagemaker-runtime';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { models } from '#contract/inference/models.ts';
import { Environment } from '#contract/platform/environment.ts';
import { lmi } from '#gateways/sagemaker/containers/lmi.ts';
import { tei } from '#gateways/sagemaker/containers/tei.ts';
import { tgi } from '#gateways/sagemaker/containers/tgi.ts';
import { vllm } from '#gateways/sagemaker/containers/vllm.ts';
import { serviceErrorOf } from '#gateways/sagemaker/errors.ts';

const sampling = { temperature: 0.7, top_p: 0.9, top_k: 50, frequency_penalty: 0.5, presence_penalty: 0.25 };
const neutral = { temperature: 1, top_p: 1, top_k: 50, frequency_penalty: 0, presence_penalty: 0 };
const messages = [{ role: 'user', content: 'Hi' }];
const whole = { stream: false };
const streamed = { stream: true };

/** What goes over the wire: fields that are undefined do not. */
const sent = (body: unknown): unknown => JSON.parse(JSON.stringify(body));
const chatBody = (container: typeof vllm, request: object, options: object = whole) =>
  sent(container.chat!.body({ messages, max_tokens: 9, ...request }, options as typeof whole));
const completionBody = (container: typeof vllm, request: object, options: object = whole) =>
  sent(container.completion!.body({ prompt: 'Hi', max_tokens: 9, ...request }, options as typeof whole));

describe.each([
  ['vllm', vllm],
  ['lmi', lmi],
] as const)('%s', (_, container) => {
  it('is sent OpenAI bodies with top_k, without a model, and asked for the usage of streams', () => {
    expect(chatBody(container, { ...sampling, stop: ['.'] })).toEqual({
      messages,
      max_tokens: 9,
      ...sampling,
      stop: ['.'],
    });
    expect(completionBody(container, neutral)).toEqual({ prompt: 'Hi', max_tokens: 9, ...neutral });
    const stream = { stream: true, stream_options: { include_usage: true } };
    expect(chatBody(container, neutral, streamed)).toEqual({ messages, max_tokens: 9, ...neutral, ...stream });
    expect(completionBody(container, neutral, streamed)).toEqual({
      prompt: 'Hi',
      max_tokens: 9,
      ...neutral,
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
    });
  });

  it('is told the name that it serves the model by, where the stage gives one', () => {
    expect(chatBody(container, {}, { stream: false, servedName: 'mine' })).toMatchObject({ model: 'mine' });
    expect(completionBody(container, {}, { stream: true, servedName: 'mine' })).toMatchObject({ model: 'mine' });
  });

  it('is sent the least top_p in place of 0, which it refuses', () => {
    expect(chatBody(container, { top_p: 0 })).toMatchObject({ top_p: 1e-6 });
  });
});

describe('tgi', () => {
  it('is sent chats in OpenAI form, without what it has not or means otherwise', () => {
    expect(chatBody(tgi, { ...sampling, stop: ['.'] })).toEqual({
      messages,
      max_tokens: 9,
      temperature: 0.7,
      top_p: 0.9,
      frequency_penalty: 0.5,
      stop: ['.'],
    });
    expect(chatBody(tgi, neutral, streamed)).toEqual({
      messages,
      max_tokens: 9,
      temperature: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it('is sent calls and results without empty content, and a chosen function by its name', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const asked = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', name: 'f', content: '21' },
    ];
    expect(
      chatBody(tgi, { messages: asked, tools, tool_choice: { type: 'function', function: { name: 'f' } } }),
    ).toEqual({
      messages: [
        { role: 'assistant', tool_calls: [call] },
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', name: 'f', content: '21' },
      ],
      max_tokens: 9,
      tools,
      tool_choice: 'f',
    });
    expect(chatBody(tgi, { tools, tool_choice: 'auto' })).toMatchObject({ tool_choice: 'auto' });
    expect(chatBody(tgi, { tool_choice: 'auto' })).not.toHaveProperty('tool_choice');
  });

  it('is asked for answers by a JSON schema in its own words', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const asked = { response_format: { type: 'json_schema', json_schema: { name: 'place', schema } } };
    expect(chatBody(tgi, asked)).toMatchObject({ response_format: { type: 'json', value: schema } });
    expect(chatBody(tgi, { response_format: { type: 'json_object' } })).not.toHaveProperty('response_format');
  });

  it('is sent completions as inputs and parameters', () => {
    const asked = { return_full_text: false, details: true };
    expect(completionBody(tgi, { ...sampling, stop: ['.'] })).toEqual({
      inputs: 'Hi',
      parameters: {
        max_new_tokens: 9,
        do_sample: true,
        temperature: 0.7,
        top_p: 0.9,
        top_k: 50,
        frequency_penalty: 0.5,
        stop: ['.'],
        ...asked,
        decoder_input_details: true,
      },
      stream: false,
    });
    expect(completionBody(tgi, neutral, streamed)).toEqual({
      inputs: 'Hi',
      parameters: {
        max_new_tokens: 9,
        do_sample: true,
        temperature: 1,
        top_k: 50,
        ...asked,
        decoder_input_details: false,
      },
      stream: true,
    });
  });

  it('does not sample at a temperature of 0', () => {
    const body = { parameters: { do_sample: false, max_new_tokens: 9 } };
    expect(completionBody(tgi, { ...sampling, temperature: 0 })).toMatchObject(body);
    expect(JSON.stringify(completionBody(tgi, { ...sampling, temperature: 0 }))).not.toMatch(/temperature|top_[pk]/);
  });

  it.each([
    ['an object', { city: 'Paris' }, '{"city":"Paris"}'],
    ['a text', '{"city":"Paris"}', '{"city":"Paris"}'],
  ])('may give the arguments of a call as %s', (_, given, read) => {
    const message = { role: 'assistant', tool_calls: [{ id: '0', function: { name: 'f', arguments: given } }] };
    const reply = tgi.chat!.reply({ choices: [{ message, finish_reason: 'stop' }], usage: null });
    expect(reply.choices[0]!.message.tool_calls![0]!.function).toEqual({ name: 'f', arguments: read });
  });

  it.each([
    ['a list', (call: object) => [call]],
    ['one', (call: object) => call],
  ])('may stream the calls as %s', (_, given) => {
    const delta = { role: 'assistant', tool_calls: given({ index: 0, function: { name: 'f', arguments: '{' } }) };
    const chunk = tgi.chat!.chunk({ choices: [{ index: 0, delta, finish_reason: null }] });
    expect(chunk.choices[0]!.delta!.tool_calls![0]!.function).toEqual({ name: 'f', arguments: '{' });
  });

  const details = { finish_reason: 'eos_token', generated_tokens: 2, prefill: [{ id: 1 }, { id: 2 }, { id: 3 }] };
  it.each([
    [[{ generated_text: 'Hello', details }], 'eos_token', { prompt_tokens: 3, completion_tokens: 2 }],
    [{ generated_text: 'Hello', details }, 'eos_token', { prompt_tokens: 3, completion_tokens: 2 }],
    [[{ generated_text: 'Hello', details: { ...details, prefill: [] } }], 'eos_token', undefined],
    [[{ generated_text: 'Hello' }], undefined, undefined],
  ])('replies to a completion with %j', (reply, finish_reason, usage) => {
    expect(tgi.completion!.reply(reply)).toEqual({ choices: [{ text: 'Hello', finish_reason }], usage });
  });

  const token = { id: 1, text: ' you', special: false };
  const ended = { finish_reason: 'length', generated_tokens: 2, input_length: 3 };
  it.each([
    [{ token, generated_text: null, details: null }, { text: ' you', finish_reason: null }, undefined],
    [
      { token, generated_text: 'to you', details: ended },
      { text: ' you', finish_reason: 'length' },
      { prompt_tokens: 3, completion_tokens: 2 },
    ],
    [
      { token: { ...token, special: true }, generated_text: 'to', details: null },
      { text: '', finish_reason: 'stop' },
      undefined,
    ],
  ])('streams a completion with %j', (event, choice, usage) => {
    expect(tgi.completion!.chunk(event)).toEqual({ choices: [choice], usage });
  });
});

describe('embeddings', () => {
  const texts = Array.from({ length: 70 }, (_, index) => `text ${index}`);
  const vectors = [
    [0.1, 0.2],
    [0.3, 0.4],
  ];

  it('are asked of vllm in OpenAI form, whose vectors may come in any order', () => {
    expect(sent(vllm.embeddings!.batches({ input: texts, dimensions: 8 }).map(({ body }) => body))).toEqual([
      { input: texts, dimensions: 8 },
    ]);
    const data = vectors.map((embedding, index) => ({ index, embedding })).toReversed();
    expect(vllm.embeddings!.reply({ data, usage: { prompt_tokens: 4 } })).toEqual({ vectors, promptTokens: 4 });
  });

  it('are asked of lmi as inputs', () => {
    expect(sent(lmi.embeddings!.batches({ input: texts, dimensions: 8 }).map(({ body }) => body))).toEqual([
      { inputs: texts },
    ]);
    expect(lmi.embeddings!.reply(vectors)).toEqual({ vectors });
  });

  it('are asked of tei as inputs, 32 at a time', () => {
    const bodies = sent(tei.embeddings!.batches({ input: texts, dimensions: 8 }).map(({ body }) => body)) as {
      inputs: string[];
    }[];
    expect(bodies.map(({ inputs }) => inputs.length)).toEqual([32, 32, 6]);
    expect(bodies.flatMap(({ inputs }) => inputs)).toEqual(texts);
    expect(bodies[2]).toEqual({ inputs: texts.slice(64), truncate: false, dimensions: 8 });
    expect(tei.embeddings!.reply(vectors)).toEqual({ vectors });
  });

  it.each([[{ data: vectors }], [[['a']]], [[[Number.NaN]]], ['no']])('that are none are refused: %j', (reply) => {
    expect(() => tei.embeddings!.reply(reply)).toThrow(v.ValiError);
  });
});

const tooLong =
  "This model's maximum context length is 4096 tokens. However, you requested 5021 tokens (4509 in the messages, 512 in the completion).";
const tgiTooLong =
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`';

describe('what a container answers in place of a reply', () => {
  const json = JSON.stringify;
  it.each([
    [
      'vllm',
      400,
      json({ error: { message: tooLong, type: 'BadRequestError', param: null, code: 400 } }),
      'CONTEXT_LENGTH_EXCEEDED',
      /^context_length_exceeded: .*4096.*5021/,
    ],
    [
      'older vllm',
      400,
      json({ object: 'error', message: tooLong, type: 'BadRequestError', code: 400 }),
      'CONTEXT_LENGTH_EXCEEDED',
      /4096.*5021/,
    ],
    [
      'newest vllm',
      400,
      json({
        error: {
          message:
            "This model's maximum context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'.",
          code: 400,
        },
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /2048.*2053/,
    ],
    [
      'vllm on max_tokens',
      400,
      json({
        error: {
          message:
            "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 20 input tokens (5000 > 4096 - 20).",
          code: 400,
        },
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /4096.*5020/,
    ],
    ['lmi', 400, json({ error: tooLong, code: 400 }), 'CONTEXT_LENGTH_EXCEEDED', /4096.*5021/],
    [
      'lmi while parsing',
      424,
      json({ error: `Input parsing failed: ${tooLong}`, code: 424 }),
      'CONTEXT_LENGTH_EXCEEDED',
      /4096.*5021/,
    ],
    ['tgi', 422, json({ error: tgiTooLong, error_type: 'validation' }), 'CONTEXT_LENGTH_EXCEEDED', /4096.*4200/],
    [
      'tgi on the prompt',
      422,
      json({
        error: 'Input validation error: `inputs` must have less than 1024 tokens. Given: 2000',
        error_type: 'validation',
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /1024.*2000/,
    ],
    [
      'tei',
      413,
      json({
        error: 'Input validation error: `inputs` must have less than 512 tokens. Given: 600',
        error_type: 'Validation',
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /512.*600/,
    ],
    [
      'llama.cpp',
      400,
      json({
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      }),
      'CONTEXT_LENGTH_EXCEEDED',
      /does not fit/,
    ],
    [
      'tgi on another rule',
      422,
      json({ error: 'Input validation error: `max_new_tokens` must be strictly positive', error_type: 'validation' }),
      'INVALID_FORMAT',
      /refused/,
    ],
    [
      'vllm on another rule',
      400,
      json({ error: { message: 'top_k must be -1', code: 400 } }),
      'INVALID_FORMAT',
      /refused/,
    ],
    [
      'tgi, a body it cannot read',
      422,
      'Failed to deserialize the JSON body into the target type',
      'INVALID_FORMAT',
      /refused/,
    ],
    [
      'tei, too many texts',
      413,
      json({ error: 'batch size 33 > maximum allowed batch size 32', error_type: 'Validation' }),
      'INVALID_FORMAT',
      /refused/,
    ],
    [
      'tgi, overloaded',
      429,
      json({ error: 'Model is overloaded', error_type: 'overloaded' }),
      'SERVICE_UNAVAILABLE',
      /busy/,
    ],
    ['tei, unhealthy', 503, json({ error: 'unhealthy', error_type: 'Unhealthy' }), 'SERVICE_UNAVAILABLE', /busy/],
    ['tei, its backend', 424, json({ error: 'Backend error: CUDA', error_type: 'Backend' }), 'MODEL_ERROR', /failed/],
    [
      'tgi while generating',
      424,
      json({ error: 'Request failed during generation: x', error_type: 'generation' }),
      'MODEL_ERROR',
      /failed/,
    ],
    [
      'vllm, a foreign model name',
      404,
      json({ error: { message: 'The model `x` does not exist.', code: 404 } }),
      'MODEL_ERROR',
      /failed/,
    ],
    ['a proxy', 502, '<html>Bad Gateway</html>', 'MODEL_ERROR', /failed/],
    ['nobody', 500, '', 'MODEL_ERROR', /failed/],
    [
      'nobody in time',
      0,
      'Your invocation timed out while waiting for a response from container primary.',
      'MODEL_TIMEOUT',
      /in time/,
    ],
  ] as const)('by %s, with status %i, is explained', (_, OriginalStatusCode, OriginalMessage, code, detail) => {
    const message = `Received client error (${OriginalStatusCode}) from primary with message "${OriginalMessage}"`;
    const cause = new ModelError({ message, OriginalStatusCode, OriginalMessage, $metadata: {} });
    const error = serviceErrorOf(cause, 'svc-1', false);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(detail);
    expect(error.retryAfterSeconds !== undefined).toBe(code === 'SERVICE_UNAVAILABLE');
  });

  it('leaves nothing of its words in the cause that is logged, but what kind of failure it was', () => {
    const secret = 'the prompt of somebody';
    const $metadata = { httpStatusCode: 424, requestId: 'r-1' };
    const answered = { message: secret, OriginalMessage: secret, OriginalStatusCode: 500, $metadata };
    const broken = { message: secret, ErrorCode: 'StreamBroken', $metadata };
    const unread = Object.assign(new SyntaxError(`Unexpected token in "${secret}"`), { $metadata });
    const cut = Object.assign(new Error(`read ECONNRESET ${secret}`), { code: 'ECONNRESET' });
    const odd = Object.assign(new Error(secret), { name: secret, code: secret });
    const causes = [new ModelError(answered), new ModelStreamError(broken), unread, cut, odd].map(
      (error) => serviceErrorOf(error, 'svc-1', false).cause as Error,
    );
    expect(causes.map(({ message }) => message)).toEqual([
      'ModelError 500',
      'ModelStreamError StreamBroken',
      'SyntaxError',
      'Error ECONNRESET',
      '',
    ]);
    expect(causes.some(({ stack }) => stack?.includes(secret))).toBe(false);
    expect(causes[0]).toMatchObject({ $metadata });
  });
});

describe('where models run', () => {
  const endpoints = (setting: unknown) =>
    v.parse(Environment, { MODEL_ENDPOINTS: JSON.stringify(setting) }).MODEL_ENDPOINTS;

  it('is as the catalogue has it, unless the stage says otherwise of a model', () => {
    expect([...endpoints({})]).toEqual(models.map(({ id, endpoint }) => [id, { endpoint, family: 'vllm' }]));
    const given = endpoints({
      'svc-1': 'Llama-Live',
      'svc-code': { family: 'tgi' },
      'svc-instruct': { endpoint: 'shared', family: 'lmi', servedName: 'instruct' },
      'svc-embed': { family: 'tei', endpoint: 'bge' },
    });
    expect(Object.fromEntries(given)).toMatchObject({
      'svc-1': { endpoint: 'Llama-Live', family: 'vllm' },
      'svc-1-32k': { endpoint: 'svc-1-32k', family: 'vllm' },
      'svc-code': { endpoint: 'svc-code', family: 'tgi' },
      'svc-instruct': { endpoint: 'shared', family: 'lmi', servedName: 'instruct' },
      'svc-embed': { endpoint: 'bge', family: 'tei' },
    });
  });

  it.each([
    [{ 'svc-2': 'x' }, /must name models/],
    [{ 'svc-1': 'no name' }, /the name of an endpoint/],
    [{ 'svc-1': { family: 'ollama' } }, /vllm, lmi, tgi, tei/],
    [{ 'svc-1': { familly: 'tgi' } }, /vllm, lmi, tgi, tei/],
    [{ 'svc-1': { family: 'tei' } }, /a family that serves the model/],
    [{ 'svc-embed': { family: 'tgi' } }, /a family that serves the model/],
  ])('cannot be %j', (setting, rule) => {
    expect(() => endpoints(setting)).toThrow(rule);
  });
});
