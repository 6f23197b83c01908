import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ModelStream } from '#domain/inference/order.ts';
import { sagemakerGateway } from '#gateways/sagemaker/model-gateway.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import { RecentFailures } from '#gateways/sagemaker/served-model.ts';
import { chat, faults, read, streaming, useModelFamilies } from '#test/models/model-families.ts';

const models = useModelFamilies();
const { gatewayWith } = models;
/** Deadline of tests with a silent model. Elsewhere a busy machine must not exceed it. */
const shortMs = 500;

describe('the gateway', () => {
  it.each([
    ['throttle', 'SERVICE_UNAVAILABLE'],
    ['unavailable', 'SERVICE_UNAVAILABLE'],
    ['cut', 'MODEL_ERROR'],
    ['hang', 'MODEL_TIMEOUT'],
  ] as const)('maps a SageMaker fault %s to %s', async (fault, code) => {
    faults.order({ target: 'sagemaker', fault, count: 2 });
    const hasty = gatewayWith({ deadlineMs: shortMs });
    await expect(hasty.chat('vllm', chat).send()).rejects.toMatchObject({ code });
    expect((await read(hasty.chatStream('vllm', chat).send())).error).toMatchObject({ code });
  });

  it('returns SERVICE_UNAVAILABLE for an unknown endpoint and for an unsupported operation', async () => {
    const code = 'SERVICE_UNAVAILABLE';
    expect(() => models.gateway.chat('tei', chat).prepare()).toThrow(expect.objectContaining({ code }));
    await expect(models.gateway.chat('tei', chat).send()).rejects.toMatchObject({ code });
    expect(() => models.gateway.chatStream('tei', chat).send()).toThrow(expect.objectContaining({ code }));
    const lost = sagemakerGateway(sdkRuntime(models.client), {
      endpointsOf: () => [{ kind: 'sagemaker', endpoint: 'lost', family: 'vllm' }],
      failures: new RecentFailures(),
      deadlineMs: 20_000,
      streamDeadlineMs: 20_000,
    });
    await expect(lost.chat('svc-1', chat).send()).rejects.toMatchObject({ code });
  });

  it.each([
    ['no choice', { choices: [] }],
    ['an error of vllm', { error: { message: 'x', code: 500 } }],
    ['an error of older vllm', { object: 'error', message: 'x', code: 500 }],
    ['an error of lmi', { error: 'x', code: 424 }],
    ['an error of another form', { error: ['x'] }],
    ['a JSON text', 'Internal Server Error'],
    ['null', null],
    ['an error as the finish reason', { choices: [{ message: { content: '' }, finish_reason: 'error' }] }],
    ['no bytes', Buffer.from('')],
    ['plain text', Buffer.from('Internal Server Error')],
    ['cut off JSON', Buffer.from('{"choices":')],
    ['a NUL byte', Buffer.from('\u0000')],
  ])('treats a 200 with %s as MODEL_ERROR', async (_, body) => {
    models.engine = Buffer.isBuffer(body)
      ? streaming([body.toString()])
      : { invoke: async () => ({ kind: 'json', status: 200, body }) };
    await expect(models.gateway.chat('vllm', chat).send()).rejects.toMatchObject({ code: 'MODEL_ERROR' });
    expect((await read(models.gateway.chatStream('vllm', chat).send())).error).toMatchObject({ code: 'MODEL_ERROR' });
  });

  /** A model without end. `made` counts its pieces; `ended` resolves when it is aborted. */
  function endless(pieces: readonly string[], betweenMs = 0) {
    const state = { made: 0, ended: Promise.withResolvers<void>() };
    models.engine = {
      invoke: async (_, signal) => {
        signal.addEventListener('abort', () => state.ended.resolve());
        return { kind: 'stream', contentType: 'text/event-stream', chunks: chunks() };
      },
    };
    async function* chunks() {
      for (; ; state.made += 1) {
        const content = pieces[state.made % pieces.length];
        yield Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
        await (betweenMs > 0 ? sleep(betweenMs) : undefined);
      }
    }
    return state;
  }

  it.each([
    ['the call is cancelled', async ({ cancel }: ModelStream) => cancel()],
    ['the reader stops', async ({ chunks }: ModelStream) => void (await chunks.return(undefined))],
  ])('aborts a model when %s', async (_, leave) => {
    const state = endless(['word '], 1);
    const stream = models.gateway.chatStream('vllm', chat).send();
    await stream.chunks.next();
    await leave(stream);
    await state.ended.promise;
    await expect(stream.chunks.next())
      .resolves.toMatchObject({ done: true })
      .catch(() => undefined);
  });

  it('returns MODEL_TIMEOUT for a model that falls silent, and for one that never ends', async () => {
    models.engine = { invoke: async () => ({ kind: 'stream', contentType: 'text/event-stream', chunks: silent() }) };
    async function* silent() {
      yield Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: 'Hello' } }] })}\n\n`);
      await new Promise(() => undefined);
    }
    const fell = await read(gatewayWith({ deadlineMs: shortMs }).chatStream('vllm', chat).send());
    expect([fell.text, fell.error]).toEqual(['Hello', expect.objectContaining({ code: 'MODEL_TIMEOUT' })]);
    const state = endless(['word '], 5);
    const went = await read(gatewayWith({ streamDeadlineMs: shortMs }).chatStream('vllm', chat).send());
    expect(went.text).toMatch(/^(word )+$/);
    expect(went.error).toMatchObject({ code: 'MODEL_TIMEOUT' });
    await state.ended.promise;
  });
});
