import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ResponseObject } from '#contract/inference/response-items.ts';
import { ResponseRequest } from '#contract/inference/responses.ts';
import { chatChunks, chatReply } from '#domain/inference/chat.ts';
import { DeliveredText, type ModelChunk } from '#domain/inference/model-stream.ts';
import { responsesFormat } from '#domain/inference/responses-format.ts';
import { bpeTokenizer } from '#gateways/tokenizer.ts';
import { eventViolations, responseViolations } from '#test/contract/open-responses.ts';

const requestId = 'hV3kQ9sTz1LmXw7RbYc';
const about = { id: `chatcmpl-${requestId}`, created: 1_700_000_000, model: 'svc-1' };
const usage = { prompt_tokens: 5, completion_tokens: 7, cached_tokens: 2, reasoning_tokens: 3 };
const fn = (name: string) => ({ type: 'function', name });
const space = { type: 'namespace', name: 'files', tools: [fn('read')] };

const parsed = (body: object) =>
  v.parse(ResponseRequest, { model: 'svc-1', input: 'Hello', tools: [fn('a'), space], ...body });
const formatOf = (body: object) => responsesFormat(parsed(body), () => 1_700_000_009);

type Delta = NonNullable<ModelChunk['choices'][number]['delta']>;
const chunk = (delta: Delta, finish_reason: string | null = null): ModelChunk => ({
  choices: [{ delta, finish_reason }],
});
const text = (content: string) => chunk({ content });
const reasoning = (reasoning: string) => chunk({ reasoning });
const call = (index: number, name: string | null, text: string) =>
  chunk({ tool_calls: [{ index, id: name && `c${index}`, function: { name, arguments: text } }] });
const end = (reason: string) => chunk({}, reason);

async function streamed(chunks: readonly ModelChunk[], body: object = {}) {
  const format = formatOf(body);
  const events: any[] = [];
  const stream = chatChunks({
    chunks: (async function* () {
      yield* chunks;
    })(),
    format,
    offered: new Set(['a', 'read', 'b']),
    about,
    delivered: new DeliveredText(1000, bpeTokenizer),
    countPrompt: async () => 5,
    onUsage: async () => usage,
  });
  for await (const event of stream) events.push(structuredClone(event));
  const response = format.ended()!;
  events.push(...format.lastChunk(response));
  return { events, response };
}

function whole(message: object, finish_reason: string, body: object = {}) {
  const reply = { choices: [{ message, finish_reason }] } as Parameters<typeof chatReply>[0];
  const format = formatOf(body);
  return format.body(
    chatReply(reply, usage, about, { maxCalls: format.maxCalls, offered: new Set(['a', 'read']) }),
    about,
  );
}

const typesOf = (events: readonly { type: string }[]) =>
  events.map(({ type }) => type.replace('response.', '')).filter((type, index, all) => type !== all[index - 1]);

describe('the events of a stream', () => {
  it('open and close each item in order', async () => {
    const { events, response } = await streamed([
      reasoning('I '),
      reasoning('think'),
      text('Hel'),
      text('lo'),
      call(0, 'a', '{"x"'),
      call(0, null, ':1}'),
      end('tool_calls'),
    ]);
    expect(typesOf(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ]);
    expect(events.flatMap(eventViolations)).toEqual([]);
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, index) => index));
    expect(response).toMatchObject({
      id: `resp_${requestId}`,
      status: 'completed',
      completed_at: 1_700_000_009,
      output: [
        { type: 'reasoning', summary: [{ text: 'I think' }] },
        { type: 'message', content: [{ text: 'Hello' }] },
        { type: 'function_call', call_id: `call_${requestId}_0`, name: 'a', arguments: '{"x":1}', status: 'completed' },
      ],
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 12,
      },
    });
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('end with response.incomplete after %s', async (reason, named) => {
    const { events, response } = await streamed([text('Hel'), end(reason)]);
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: named } },
    });
    expect(response).toMatchObject({ status: 'incomplete', completed_at: null, output: [{ status: 'incomplete' }] });
    expect(events.flatMap(eventViolations)).toEqual([]);
  });

  it('have an empty message if the model returns nothing', async () => {
    const { events, response } = await streamed([end('stop')]);
    expect(response.output).toMatchObject([{ type: 'message', status: 'completed', content: [{ text: '' }] }]);
    expect(events.flatMap(eventViolations)).toEqual([]);
  });

  it('name the namespace of a function', async () => {
    const { response } = await streamed([call(0, 'read', '{}'), end('stop')]);
    expect(response.output).toMatchObject([{ name: 'read', namespace: 'files' }]);
  });

  it('separate the arguments of alternating calls', async () => {
    const { events, response } = await streamed([
      call(0, 'a', '{'),
      call(1, 'read', '['),
      call(0, null, '}'),
      call(1, null, ']'),
      end('stop'),
    ]);
    expect(response.output).toMatchObject([{ arguments: '{}' }, { arguments: '[]' }]);
    expect(events.flatMap(eventViolations)).toEqual([]);
  });

  it('omit the calls of functions that are not allowed', async () => {
    const body = { tools: [fn('a'), fn('b')], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [fn('a')] } };
    const { response } = await streamed([call(0, 'b', '{}'), call(1, 'a', '{}'), end('stop')], body);
    expect(response.output).toMatchObject([{ name: 'a', call_id: `call_${requestId}_0` }]);
    const none = await streamed([call(0, 'a', '{}'), end('stop')], { tool_choice: 'none' });
    expect(none.response.output).toMatchObject([{ type: 'message' }]);
  });

  it('report a failure, then the failed response with its output so far', async () => {
    const format = formatOf({});
    const opened = await format.openingChunks!(about, async () => 5);
    const pieces = [
      ...format.pieceChunks({ content: 'Hel' }, about, true),
      ...format.pieceChunks({ call: { index: 0, opened: { id: 'x', name: 'a' }, arguments: '{' } }, about, false),
    ];
    const failed = format.failureChunks!({ code: 'MODEL_ERROR', detail: 'The model failed.' }, about) as any[];
    expect(failed).toMatchObject([
      {
        type: 'error',
        message: 'The model failed.',
        code: 'model_error',
        error: { type: 'model_error', message: 'The model failed.' },
      },
      {
        type: 'response.failed',
        response: {
          status: 'failed',
          error: { code: 'server_error' },
          output: [
            { type: 'message', status: 'completed' },
            { type: 'function_call', status: 'incomplete', arguments: '{' },
          ],
        },
      },
    ]);
    const all = [...opened, ...pieces, ...failed] as any[];
    expect(all.flatMap(eventViolations)).toEqual([]);
    expect(all.map(({ sequence_number: number }) => number)).toEqual(all.map((_, index) => index));
  });

  it('have the same output as the whole response', async () => {
    const piece = fc.oneof(
      fc.string().map((content) => ({ content })),
      fc.string({ minLength: 1 }).map((reasoning) => ({ reasoning })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.constantFrom('stop', 'length'), async (deltas, reason) => {
        const { events, response } = await streamed([...deltas.map((delta) => chunk(delta)), end(reason)]);
        expect(events.flatMap(eventViolations)).toEqual([]);
        expect(v.parse(ResponseObject, response)).toEqual(response);
        const sent = events
          .filter(({ type }) => type === 'response.output_text.delta')
          .map(({ delta }) => delta)
          .join('');
        expect(sent).toBe(deltas.map((delta) => ('content' in delta ? delta.content : '')).join(''));
        const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item);
        expect(done).toEqual(response.output);
      }),
    );
  });
});

describe('an unstreamed response', () => {
  it('has every field of Open Responses', () => {
    const response = whole({ content: 'Hello', reasoning: 'Hm' }, 'stop', {
      metadata: { a: 'b' },
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' } }, verbosity: 'low' },
      reasoning: { effort: 'low' },
      user: 'u',
      prompt_cache_key: 'k',
    });
    expect(responseViolations(response)).toEqual([]);
    expect(v.parse(ResponseObject, response)).toEqual(response);
    expect(response).toMatchObject({
      output: [{ type: 'reasoning' }, { type: 'message' }],
      tools: [{ name: 'a', description: null, parameters: null, strict: null }, { name: 'read' }],
      text: { format: { strict: false }, verbosity: 'low' },
      metadata: { a: 'b' },
    });
  });

  it('has the status incomplete, like its last item, if the output is truncated', () => {
    const calls = [{ id: 'x', function: { name: 'a', arguments: '{' } }];
    const response = whole({ content: 'Hello', tool_calls: calls }, 'length');
    expect(response).toMatchObject({
      status: 'incomplete',
      output: [{ status: 'completed' }, { status: 'incomplete' }],
    });
    expect(responseViolations(response)).toEqual([]);
  });
});
