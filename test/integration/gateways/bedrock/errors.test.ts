import { describe, expect, it } from 'vitest';
import { frame } from '#local/bedrock/server.ts';
import { containerError } from '#local/sagemaker/engine.ts';
import { nova, useBedrock } from '#test/models/bedrock.ts';
import { streaming } from '#test/models/model-families.ts';

const bedrock = useBedrock();

describe('an error of Bedrock', () => {
  it.each([
    ['throttle', 'SERVICE_UNAVAILABLE'],
    ['unavailable', 'SERVICE_UNAVAILABLE'],
    ['error', 'MODEL_ERROR'],
    ['hang', 'MODEL_TIMEOUT'],
  ] as const)('%s is %s, with and without streaming', async (fault, code) => {
    bedrock.faults.order({ target: 'bedrock', fault, endpoint: nova, count: 2 });
    if (fault === 'hang') bedrock.gateway = bedrock.gatewayTo(nova, 400);
    await expect(bedrock.chat()).rejects.toMatchObject({ code });
    expect((await bedrock.stream()).error).toMatchObject({ code });
    expect(bedrock.faults.active()).toEqual([]);
  });

  it('in the middle of a stream ends it after the text so far', async () => {
    bedrock.faults.order({ target: 'bedrock', fault: 'cut', count: 1 });
    const { text, error } = await bedrock.stream();
    expect(text).not.toBe('');
    expect(error).toMatchObject({ code: 'MODEL_ERROR' });
    const piece = `data: ${JSON.stringify({ choices: [{ delta: { content: 'a' } }] })}\n\n`;
    bedrock.engine = streaming([piece, new Error('broken')]);
    expect(await bedrock.stream()).toMatchObject({ text: 'a', error: { code: 'MODEL_ERROR' } });
  });

  it.each([
    [
      'Input is too long',
      containerError(400, "This model's maximum context length is 10 tokens."),
      'CONTEXT_LENGTH_EXCEEDED',
    ],
    [
      'a mistake',
      containerError(400, 'temperature and top_p cannot both be specified for this model.'),
      'INVALID_FORMAT',
    ],
    ['a failure', containerError(500, 'boom'), 'MODEL_ERROR'],
  ])('about %s has the matching code', async (_, reply, code) => {
    bedrock.engine = { invoke: async () => reply };
    await expect(bedrock.chat()).rejects.toMatchObject({ code });
    expect((await bedrock.stream()).error).toMatchObject({ code });
  });

  it.each<[type: string, status: number, message: string, code: string]>([
    ['ValidationException', 400, 'The provided model identifier is invalid.', 'SERVICE_UNAVAILABLE'],
    [
      'ValidationException',
      400,
      'Invocation of model ID x with on-demand throughput isn’t supported.',
      'SERVICE_UNAVAILABLE',
    ],
    ['ValidationException', 400, 'max_tokens must be at most 5.', 'INVALID_FORMAT'],
    [
      'AccessDeniedException',
      403,
      'You don’t have access to the model with the specified model ID.',
      'SERVICE_UNAVAILABLE',
    ],
    ['ResourceNotFoundException', 404, 'Could not resolve the foundation model.', 'SERVICE_UNAVAILABLE'],
    ['ModelNotReadyException', 429, 'The model is not ready.', 'SERVICE_UNAVAILABLE'],
    ['ServiceQuotaExceededException', 400, 'Too many tokens per day.', 'SERVICE_UNAVAILABLE'],
    ['ModelTimeoutException', 408, 'The request took too long.', 'MODEL_TIMEOUT'],
    ['ModelErrorException', 424, 'The model failed.', 'MODEL_ERROR'],
    ['InternalServerException', 500, 'x', 'MODEL_ERROR'],
    ['SomethingNewException', 418, 'x', 'MODEL_ERROR'],
  ])('%s (%i, %s) is %s', async (type, status, text, code) => {
    await bedrock.withServer(
      (response) =>
        response
          .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
          .end(JSON.stringify({ message: text })),
      async () => {
        await expect(bedrock.chat()).rejects.toMatchObject({ code });
        expect((await bedrock.stream()).error).toMatchObject({ code });
      },
    );
  });
});

describe('a hostile reply of Bedrock', () => {
  const event = (type: string, body: object) => frame({ ':message-type': 'event', ':event-type': type }, body);
  const exception = (type: string) =>
    frame({ ':message-type': 'exception', ':exception-type': type }, { message: 'x' });
  const text = event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hello' } });
  const stop = event('messageStop', { stopReason: 'end_turn' });
  const damaged = Buffer.from(text);
  damaged[damaged.length - 1]! ^= 1;

  it.each<[name: string, frames: readonly Uint8Array[], text: string, code: string | undefined]>([
    ['a message of 4 GB', [Buffer.from([0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 0])], '', 'MODEL_ERROR'],
    ['a message of 2 MB after text', [text, Buffer.from([0, 0x20, 0, 0])], 'Hello', 'MODEL_ERROR'],
    ['a message without length', [Buffer.alloc(64)], '', 'MODEL_ERROR'],
    ['a damaged message', [damaged], '', 'MODEL_ERROR'],
    ['half a message', [text, text.subarray(0, 20)], 'Hello', 'MODEL_ERROR'],
    ['no messages', [], '', 'MODEL_ERROR'],
    ['no end', [text], 'Hello', 'MODEL_ERROR'],
    ['a throttling exception after text', [text, exception('throttlingException')], 'Hello', 'SERVICE_UNAVAILABLE'],
    ['a validation exception at the start', [exception('validationException')], '', 'INVALID_FORMAT'],
    ['an unknown exception', [exception('newException')], '', 'MODEL_ERROR'],
    ['an unknown event', [event('newEvent', {}), text, stop], 'Hello', undefined],
    ['a malformed end', [text, event('messageStop', { stopReason: 'malformed_tool_use' })], 'Hello', 'MODEL_ERROR'],
    ['text after the end', [text, stop, text, text], 'Hello', undefined],
  ])('with %s', async (_, frames, expected, code) => {
    await bedrock.withServer(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        for (const bytes of frames) response.write(bytes);
        response.end();
      },
      async () => {
        const found = await bedrock.stream();
        expect(found.text).toBe(expected);
        if (code === undefined) expect(found.error).toBeUndefined();
        else expect(found.error).toMatchObject({ code });
      },
    );
  });

  it('that never ends is cut at its limit', async () => {
    const flood = Buffer.concat(Array.from({ length: 200 }, () => text));
    await bedrock.withServer(
      (response) => {
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
        const more = (): unknown =>
          response.destroyed ? undefined : response.write(flood) ? setImmediate(more) : response.once('drain', more);
        more();
      },
      async () => expect((await bedrock.stream({ max_tokens: 1 })).error).toMatchObject({ code: 'MODEL_ERROR' }),
    );
  });

  it.each<[name: string, body: string]>([
    ['is not JSON', '<html>'],
    ['has no message', '{"output":{}}'],
    ['is empty', '{}'],
    ['has no content', JSON.stringify({ output: { message: { role: 'assistant', content: [] } } })],
    ['is too long', JSON.stringify({ output: { message: { content: [{ text: 'a'.repeat(2_000_000) }] } } })],
  ])('that %s is a model error', async (_, body) => {
    await bedrock.withServer(
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body),
      async () => await expect(bedrock.chat()).rejects.toMatchObject({ code: 'MODEL_ERROR' }),
    );
  });

  it('ends when the caller cancels, and so does the connection', async () => {
    let closed: Promise<unknown> | undefined;
    await bedrock.withServer(
      (response) => {
        closed = new Promise((resolve) => response.once('close', resolve));
        response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' }).write(text);
      },
      async () => {
        const { chunks, cancel } = bedrock.gatewayTo(nova, 20_000).chatStream('m', bedrock.question).send();
        await chunks.next();
        cancel();
        await expect(chunks.next()).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
        await closed;
      },
    );
  });
});
