import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { describe, expect, test } from 'vitest';
import { Deadline } from '#gateways/sagemaker/deadline.ts';
import { modelChunks } from '#gateways/sagemaker/model-chunks.ts';
import { quickRuntime } from '#gateways/sagemaker/quick-runtime.ts';
import { sdkRuntime } from '#gateways/sagemaker/sdk-runtime.ts';
import { vllm } from '#gateways/sagemaker/vllm.ts';
import { modelStreamError, payloadPart } from '#local/sagemaker/reply.ts';
import { credentials, invocation, later, type ScriptedResponse, useScriptedAws } from '#test/transport/fast-path.ts';

const scripted = useScriptedAws();
const { serviceOf, resultOf } = scripted;

const models = (): SageMakerRuntimeClient =>
  new SageMakerRuntimeClient({ region: 'us-east-1', endpoint: scripted.aws.url, credentials, maxAttempts: 1 });
const runtimes = {
  on: () => quickRuntime(serviceOf('sagemaker'), async () => models(), {}),
  off: () => sdkRuntime(models()),
};
const modelFailure = (status: number, type: string, more: object = {}): ScriptedResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': type },
  body: JSON.stringify({ Message: `It is ${type}.`, ...more }),
});
const frames = Buffer.concat([payloadPart(Buffer.from('data: {"é"')), payloadPart(Buffer.from(':1}\n\n'))]);
const frameHeaders = { 'content-type': 'application/vnd.amazon.eventstream' };

async function all(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: string[] = [];
  for await (const part of parts) pieces.push(Buffer.from(part).toString());
  return pieces.join('|');
}

/** Only a complete stream has metadata. */
function withoutMetadata({ outcome, ...rest }: Awaited<ReturnType<typeof resultOf>>) {
  return { ...rest, outcome: { ...outcome, metadata: undefined } };
}

function essence(headers: Record<string, unknown>) {
  const names = Object.keys(headers).filter((name) => /^(content-type|accept|host|x-amzn)/.test(name));
  return Object.fromEntries(names.map((name) => [name, headers[name]]));
}

describe('an invocation with the fast path has the same result as with the SDK, in one attempt, after', () => {
  test.each<[string, ScriptedResponse]>([
    ['a response', { status: 200, body: '{"é":1}' }],
    ['a response that is not JSON', { status: 200, body: 'hm' }],
    ['a response that is too long', { status: 200, body: `"${'x'.repeat(invocation.maxBytes)}"` }],
    ['a model error', modelFailure(424, 'ModelError', { OriginalStatusCode: 422, OriginalMessage: 'too long' })],
    ['a model that is not ready', modelFailure(429, 'ModelNotReadyException')],
    ['an outage', modelFailure(503, 'ServiceUnavailable')],
    ['throttling', modelFailure(429, 'ThrottlingException')],
    ['an unknown endpoint', modelFailure(400, 'ValidationError')],
    ['a cut connection', { status: 200, cutAfter: -1 }],
    ['a connection cut within the response', { status: 200, body: '{"é":1}', cutAfter: 3 }],
  ])('%s', async (_, planned) => {
    scripted.aws.play([planned]);
    const theirs = await resultOf(() => runtimes.off().reply(invocation)(later()));
    const [sentByThem] = scripted.aws.sent;
    scripted.aws.play([planned]);
    const ours = await resultOf(() => runtimes.on().reply(invocation)(later()));
    expect(ours).toEqual(theirs);
    expect(ours.requests).toBe(1);
    expect(essence(scripted.aws.sent[0]!.headers)).toEqual(essence(sentByThem!.headers));
    expect(scripted.aws.sent[0]!.url).toBe(sentByThem!.url);
  });

  test.each<[string, ScriptedResponse]>([
    ['a response', { status: 200, headers: frameHeaders, body: frames }],
    [
      'a failure in the stream',
      { status: 200, headers: frameHeaders, body: Buffer.concat([frames, modelStreamError('broken')]) },
    ],
    [
      'a connection cut within a frame',
      { status: 200, headers: frameHeaders, body: frames, cutAfter: frames.length - 5 },
    ],
    ['a model error', modelFailure(424, 'ModelError', { OriginalStatusCode: 500, OriginalMessage: 'oh' })],
    ['an outage', modelFailure(503, 'ServiceUnavailable')],
    ['a cut connection', { status: 200, cutAfter: -1 }],
  ])('streamed: %s', async (_, planned) => {
    scripted.aws.play([planned]);
    const theirs = await resultOf(() => all(runtimes.off().parts(invocation)(later())));
    const [sentByThem] = scripted.aws.sent;
    scripted.aws.play([planned]);
    const ours = await resultOf(() => all(runtimes.on().parts(invocation)(later())));
    expect(withoutMetadata(ours)).toEqual(withoutMetadata(theirs));
    expect(ours.requests).toBe(1);
    expect(essence(scripted.aws.sent[0]!.headers)).toEqual(essence(sentByThem!.headers));
  });

  test('the cancellation of a prepared invocation, which is sent only on demand', async () => {
    scripted.aws.play([{ status: 200, silent: true }]);
    const over = new Deadline(10_000);
    const send = runtimes.on().reply(invocation);
    await sleep(5);
    expect(scripted.aws.sent).toEqual([]);
    const outcome = resultOf(() => send(over));
    while (scripted.aws.sent.length === 0) await sleep(5);
    over.end();
    expect(await outcome).toMatchObject({ outcome: { name: 'AbortError' }, requests: 1 });
  });
});

test('complete streams reuse one connection, and an abandoned stream closes it', async () => {
  const words = [{ delta: { content: 'a' } }, { delta: {}, finish_reason: 'stop' }];
  const lines = [...words.map((choice) => JSON.stringify({ choices: [choice] })), '[DONE]'];
  const body = Buffer.concat(lines.map((line) => payloadPart(Buffer.from(`data: ${line}\n\n`))));
  const whole = { status: 200, headers: frameHeaders, body };
  scripted.aws.play([whole]);
  const runtime = runtimes.on();
  const read = () =>
    modelChunks({
      model: 'svc-1',
      parts: runtime.parts(invocation),
      chunk: vllm.chat!.chunk,
      wholeChunk: vllm.chat!.chunk,
      deadline: new Deadline(1000),
      waitMs: 1000,
      maxBytes: 1e6,
    });
  for (let call = 0; call < 5; call++) {
    expect(await Array.fromAsync(read())).toHaveLength(2);
    await sleep(5);
  }
  expect(new Set(scripted.aws.sent.map(({ connection }) => connection)).size).toBe(1);
  scripted.aws.play([{ ...whole, hangsAfter: body.length - 30 }, whole]);
  for await (const _ of read()) break;
  await sleep(5);
  expect(await Array.fromAsync(read())).toHaveLength(2);
  expect(scripted.aws.sent[1]!.connection).not.toBe(scripted.aws.sent[0]!.connection);
});

test('cancelling an invocation at any point of its response does not affect others', async () => {
  const runtime = runtimes.on();
  scripted.aws.play([{ status: 200, headers: frameHeaders, body: frames }]);
  for (let round = 0; round < 60; round++) {
    const over = later();
    if (round % 3 === 0) await all(runtime.parts(invocation)(over));
    else for await (const _ of runtime.parts(invocation)(over)) if (round % 3 === 1) break;
    if (round % 2 === 0) await nextTurn();
    over.end();
  }
  await nextTurn();
  expect(scripted.aws.sent).toHaveLength(60);
});
