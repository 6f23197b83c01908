import { afterEach, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '#contract/platform/model-endpoints.ts';
import {
  chat,
  closeEndpoints,
  end,
  endpoint,
  event,
  type Gateway,
  gatewayTo,
  piece,
  request,
  resets,
  type Respond,
  send,
  stalls,
  stream,
  streams,
  whole,
  withoutTls,
} from '#test/models/endpoints.ts';

afterEach(closeEndpoints);

const failing: [name: string, respond: Respond][] = [
  ['is throttled', send(429, { error: { message: 'Rate limit' } })],
  ['is unavailable', send(503, {})],
  ['fails', send(500, { error: { message: 'boom' } })],
  ['rejects our key', send(401, {})],
  ['does not know the model', send(404, {})],
  ['resets the connection', resets],
  ['is silent', stalls()],
  ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
];

describe('a model whose first endpoint', () => {
  it.each(failing)('%s responds from the second, with and without streaming', async (_, respond) => {
    const [first, second] = [await endpoint(respond), await endpoint(whole('two'))];
    expect(await chat(gatewayTo([first.place, second.place], { deadlineMs: 1500 }))).toBe('two');
    second.become(streams(piece('two'), end));
    const gateway = gatewayTo([first.place, second.place], { deadlineMs: 1500 });
    expect(await stream(gateway)).toMatchObject({ text: 'two', reason: 'stop', error: undefined });
    expect([gateway.responses, gateway.failed]).toEqual([['m 2'], ['m 1']]);
    expect([first.requests(), second.requests()]).toEqual([2, 2]);
  });

  it('cannot be reached, or refuses TLS, responds from the second', async () => {
    const second = await endpoint(whole('two'));
    const closed = { kind: 'openai', url: 'http://127.0.0.1:1/v1', model: 'large' } as const;
    for (const place of [closed, await withoutTls()]) expect(await chat(gatewayTo([place, second.place]))).toBe('two');
  });

  it.each([
    ['nothing but its role', event({ choices: [{ delta: { role: 'assistant', content: '' } }] })],
    ['a comment', ': waiting\n\n'],
    ['an error', event({ error: { message: 'boom', code: 500 } })],
  ])('streams %s and then stalls responds from the second', async (_, part) => {
    const [first, second] = [await endpoint(stalls(part)), await endpoint(streams(piece('two'), end))];
    expect(await stream(gatewayTo([first.place, second.place], { deadlineMs: 1500 }))).toMatchObject({
      text: 'two',
      error: undefined,
    });
    await first.closed();
  });

  it('rejects the request (400) is the only one that is called, and the reason reaches the caller', async () => {
    const rejects = send(400, { error: { message: 'dimensions 7 are not supported' } });
    const [first, second] = [await endpoint(rejects), await endpoint(whole('two'))];
    const gateway = gatewayTo([first.place, second.place]);
    const message = 'The model rejected the request: dimensions 7 are not supported.';
    await expect(chat(gateway)).rejects.toMatchObject({ code: 'INVALID_FORMAT', message });
    expect((await stream(gateway)).error).toMatchObject({ code: 'INVALID_FORMAT', message });
    expect([second.requests(), gateway.responses]).toEqual([0, ['m 1', 'm 1']]);
  });

  it.each<[name: string, respond: Respond]>([
    ['breaks', (response) => (stalls(piece('one'))(response), setTimeout(() => resets(response), 20))],
    ['reports an error', streams(piece('one'), event({ error: { message: 'boom', code: 500 } }))],
    ['stalls', stalls(piece('one'))],
    ['ends without an end', streams(piece('one'))],
  ])('%s after its first output ends the call there', async (_, respond) => {
    const [first, second] = [await endpoint(respond), await endpoint(streams(piece('two'), end))];
    const gateway = gatewayTo([first.place, second.place], { deadlineMs: 1500 });
    const { text, error } = await stream(gateway);
    expect([text, (error as { code?: string }).code]).toEqual(['one', expect.stringMatching(/^MODEL_/)]);
    expect(second.requests()).toBe(0);
  });

  it('fails like the second responds from the third', async () => {
    const [first, second] = [await endpoint(resets), await endpoint(stalls())];
    const third = await endpoint(whole('three'));
    const gateway = gatewayTo([first.place, second.place, third.place], { deadlineMs: 3000 });
    expect(await chat(gateway)).toBe('three');
    expect(gateway.responses).toEqual(['m 3']);
  });
});

describe('a model whose endpoints all fail', () => {
  it('reports the last failure', async () => {
    const [first, second] = [await endpoint(send(500, {})), await endpoint(send(429, {}))];
    const gateway = gatewayTo([first.place, second.place]);
    await expect(chat(gateway)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 });
    second.become(send(500, {}));
    expect((await stream(gateway)).error).toMatchObject({ code: 'MODEL_ERROR' });
    expect([first.requests(), second.requests(), gateway.responses]).toEqual([2, 2, []]);
  });

  it.each(['whole', 'streamed'])('by silence ends at the deadline of one call, %s', async (kind) => {
    const [first, second] = [await endpoint(stalls()), await endpoint(stalls())];
    const gateway = gatewayTo([first.place, second.place], { deadlineMs: 1500 });
    const start = performance.now();
    const error =
      kind === 'whole' ? await chat(gateway).catch((thrown: unknown) => thrown) : (await stream(gateway)).error;
    expect(error).toMatchObject({ code: 'MODEL_TIMEOUT' });
    expect(performance.now() - start).toBeGreaterThan(1490);
    expect(performance.now() - start).toBeLessThan(4000);
    expect([first.requests(), second.requests()]).toEqual([1, 1]);
  });
});

describe('the time of an endpoint that has a fallback', () => {
  it('is two thirds of the deadline for an unstreamed reply, which sends nothing until it is complete', async () => {
    const slow: Respond = (response) => setTimeout(() => whole('one')(response), 1000);
    const [first, second] = [await endpoint(slow), await endpoint(whole('two'))];
    expect(await chat(gatewayTo([first.place, second.place], { deadlineMs: 4000 }))).toBe('one');
    expect(await chat(gatewayTo([first.place, second.place], { deadlineMs: 1400 }))).toBe('two');
  });

  it('is a third of the deadline for the first output of a stream, and the whole of it for each later one', async () => {
    const slow: Respond = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(piece('one'));
      setTimeout(() => response.end(piece(' more') + end), 1500);
    };
    const [first, second] = [await endpoint(slow), await endpoint(streams(piece('two'), end))];
    expect(await stream(gatewayTo([first.place, second.place], { deadlineMs: 3000 }))).toMatchObject({
      text: 'one more',
      error: undefined,
    });
    first.become((response) => setTimeout(() => slow(response), 1500));
    expect(await stream(gatewayTo([first.place, second.place], { deadlineMs: 3000 }))).toMatchObject({ text: 'two' });
  });
});

describe('an endpoint that failed', () => {
  it('is tried last for 30 s, then first again', async () => {
    let now = 0;
    const [first, second] = [await endpoint(send(500, {})), await endpoint(whole('two'))];
    const gateway = gatewayTo([first.place, second.place], { now: () => now });
    await chat(gateway);
    first.become(whole('one'));
    now = 29_999;
    expect(await chat(gateway)).toBe('two');
    expect(first.requests()).toBe(1);
    now = 30_000;
    expect(await chat(gateway)).toBe('one');
  });

  it('is still tried if the others fail too, and is first again once it responds', async () => {
    const [first, second] = [await endpoint(send(500, {})), await endpoint(whole('two'))];
    const gateway = gatewayTo([first.place, second.place]);
    await chat(gateway);
    first.become(whole('one'));
    second.become(send(500, {}));
    expect(await chat(gateway)).toBe('one');
    second.become(whole('two'));
    expect(await chat(gateway)).toBe('one');
    expect(gateway.responses).toEqual(['m 2', 'm 1', 'm 1']);
  });

  it('in the middle of a stream is tried last too, but not after its caller has cancelled', async () => {
    const breaks = streams(piece('one'), event({ error: { message: 'boom', code: 500 } }));
    const [first, second] = [await endpoint(breaks), await endpoint(whole('two'))];
    const gateway = gatewayTo([first.place, second.place]);
    await stream(gateway);
    expect(await chat(gateway)).toBe('two');
    const other = gatewayTo([first.place, second.place]);
    first.become(stalls(piece('one')));
    const { chunks, cancel } = other.chatStream('m', request).send();
    await chunks.next();
    cancel();
    await chunks.next().catch(() => undefined);
    first.become(whole('one'));
    expect(await chat(other)).toBe('one');
  });

  it('is remembered for streams and unstreamed replies alike', async () => {
    const [first, second] = [await endpoint(resets), await endpoint(streams(piece('two'), end))];
    const gateway = gatewayTo([first.place, second.place]);
    await stream(gateway);
    second.become(whole('two'));
    await chat(gateway);
    expect(first.requests()).toBe(1);
  });
});

describe('a caller who cancels', () => {
  it.each([
    ['the first', 1],
    ['the second', 2],
  ])('while %s endpoint is silent ends the call there', async (_, at) => {
    const [first, second] = [await endpoint(at === 1 ? stalls() : resets), await endpoint(stalls())];
    const gateway = gatewayTo([first.place, second.place], { deadlineMs: 20_000 });
    const silent = at === 1 ? first : second;
    for (const call of [
      chat,
      async (...given: Parameters<typeof chat>) => Promise.reject((await stream(...given)).error),
    ]) {
      const before = silent.requests();
      const caller = new AbortController();
      const outcome = call(gateway, caller.signal).catch((error: unknown) => error);
      await expect.poll(() => silent.requests()).toBe(before + 1);
      caller.abort();
      expect(await outcome).toMatchObject({ code: 'MODEL_TIMEOUT' });
      await silent.closed();
    }
    if (at === 1) expect(second.requests()).toBe(0);
  });

  it('during the output of the second disconnects from it', async () => {
    const [first, second] = [await endpoint(resets), await endpoint(stalls(piece('two')))];
    const { chunks, cancel } = gatewayTo([first.place, second.place], { deadlineMs: 20_000 })
      .chatStream('m', request)
      .send();
    await chunks.next();
    cancel();
    await expect(chunks.next()).rejects.toMatchObject({ code: 'MODEL_TIMEOUT' });
    await second.closed();
  });

  it('by returning from the stream disconnects too', async () => {
    const [first, second] = [await endpoint(resets), await endpoint(stalls(piece('two')))];
    for await (const _ of gatewayTo([first.place, second.place]).chatStream('m', request).send().chunks) break;
    await second.closed();
  });
});

describe('the fallback of other calls', () => {
  it('returns all vectors of an embeddings call from one endpoint', async () => {
    const vectors = send(200, {
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [2] },
      ],
      usage: { prompt_tokens: 2 },
    });
    const [first, second] = [await endpoint(send(503, {})), await endpoint(vectors)];
    const { data } = await gatewayTo([first.place, second.place]).embed('m', { input: ['a', 'b'] });
    expect(data.map(({ embedding }) => embedding)).toEqual([[1], [2]]);
  });

  it('streams speech from the second, and not after the first byte', async () => {
    const speech = { input: 'Hi', voice: 'alloy', response_format: 'mp3', speed: 1 } as const;
    const speaks =
      (text: string): Respond =>
      (response) =>
        response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(text);
    const [first, second] = [await endpoint(resets), await endpoint(speaks('two'))];
    const heard = async (gateway: Gateway) => {
      const pieces: Buffer[] = [];
      for await (const part of gateway.speech('m', speech).send().chunks) pieces.push(part);
      return Buffer.concat(pieces).toString();
    };
    expect(await heard(gatewayTo([first.place, second.place]))).toBe('two');
    first.become((response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('one');
      setTimeout(() => resets(response), 20);
    });
    await expect(heard(gatewayTo([first.place, second.place]))).rejects.toMatchObject({ code: 'MODEL_ERROR' });
    expect(second.requests()).toBe(1);
  });

  it('transcribes at the second', async () => {
    const [first, second] = [await endpoint(resets), await endpoint(send(200, { text: 'two', duration: 1 }))];
    const file = { bytes: Buffer.from('x'), contentType: 'audio/mpeg', words: false } as const;
    expect(await gatewayTo([first.place, second.place]).transcribe('m', file)).toMatchObject({ text: 'two' });
  });

  it('skips endpoints that lack an option of the request, and refuses it if all do', async () => {
    const bedrock = { kind: 'bedrock', model: 'amazon.nova-lite-v1:0' } as const;
    const second = await endpoint(whole('two'));
    const asking = (...places: ModelEndpoint[]) => gatewayTo(places).chat('m', { ...request, logprobs: true });
    expect((await asking(bedrock, second.place).send()).choices[0]?.message.content).toBe('two');
    second.become(send(503, {}));
    await expect(asking(second.place, bedrock).send()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect(asking(bedrock).send()).rejects.toMatchObject({
      code: 'INVALID_FORMAT',
      message: 'logprobs is not supported by this model.',
    });
  });

  it('skips endpoints without the capability', async () => {
    const bedrock = { kind: 'bedrock', model: 'amazon.nova-lite-v1:0' } as const;
    const second = await endpoint(send(200, { choices: [{ text: 'two', finish_reason: 'stop' }] }));
    const gateway = gatewayTo([bedrock, second.place]);
    const { choices } = await gateway.completion('m', { prompt: 'Hi', max_tokens: 5 }).send();
    expect(choices[0]?.text).toBe('two');
  });
});
