import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type AttemptResult, attempt, type Cancellation, Connections, type HttpResponse } from '#aws/transport.ts';
import {
  chunked,
  crlf,
  head,
  read,
  request,
  type Script,
  two,
  useScriptedServer,
} from '#test/transport/scripted-server.ts';

const wire = useScriptedServer();
const { requests, sockets, connections } = wire;

async function responseOver(over: Connections): Promise<HttpResponse> {
  const result = await attempt(over, request, {});
  if ('error' in result) throw result.error;
  return result.response;
}

/** A connection that has served one request, and the outcome of the next request on it. */
async function reused(next: Script) {
  const over = connections();
  wire.script = { pieces: [two] };
  await read(over);
  const before = { sockets: sockets.length, requests: requests.length };
  wire.script = next;
  const result = await attempt(over, request, {});
  return { result, sockets: sockets.length - before.sockets, requests: requests.length - before.requests };
}

const nameOf = (result: AttemptResult) => ('error' in result ? (result.error as Error).name : result.response.status);

test('each request goes to the origin of its time, over no connection to another one', async () => {
  let host = '127.0.0.1';
  const over = new Connections('http://example.com', Date.now, () => `http://${host}:${wire.port}`);
  wire.script = { pieces: [two] };
  const opened = sockets.length;
  for (host of ['127.0.0.1', '127.0.0.1', '127.1', '127.1', '127.0.0.1']) await read(over);
  expect(sockets.length - opened).toBe(3);
});

test('the client pauses the sender while the response is unread, and still reads all of it', async () => {
  const body = Buffer.alloc(8 * 1024 * 1024, 'a');
  wire.script = { pieces: [Buffer.from(`${head}Content-Length: ${body.length}${crlf}${crlf}`), body] };
  const reply = await responseOver(connections());
  await sleep(50);
  expect(sockets.at(-1)!.writableLength).toBeGreaterThan(0);
  expect((await buffer(reply)).equals(body)).toBe(true);
});

test.each([
  [10, 0],
  [400, 1],
])('an abandoned response with %i ms between five chunks uses %i connections', async (gapMs, lost) => {
  const over = connections();
  wire.script = { pieces: [two] };
  await read(over);
  const before = sockets.length;
  const chunks = Array<Buffer>(5).fill(Buffer.from(`1${crlf}a${crlf}`));
  wire.script = { pieces: [Buffer.from(chunked), ...chunks, Buffer.from(`0${crlf}${crlf}`)], gapMs };
  for await (const _ of await responseOver(over)) break;
  await sleep(1200);
  wire.script = { pieces: [two] };
  expect(await read(over)).toBe('200 undefined 6f6b');
  expect(sockets.length - before).toBe(lost);
});

describe('a connection that breaks', () => {
  test('is replaced once if it was reused and no byte of the response had arrived', async () => {
    const { result, ...counts } = await reused({ pieces: [], resets: true });
    expect(nameOf(result)).toBe('TimeoutError');
    expect(counts).toEqual({ sockets: 1, requests: 2 });
  });

  test('is replaced by another, which serves the request', async () => {
    const over = connections();
    wire.script = { pieces: [two] };
    await read(over);
    wire.script = { pieces: [], resets: true };
    const before = requests.length;
    const result = attempt(over, request, {});
    while (requests.length === before) await nextTurn();
    wire.script = { pieces: [two] };
    expect(nameOf(await result)).toBe(200);
    expect(requests.length - before).toBe(2);
  });

  test('is not replaced after the first byte of a response', async () => {
    const { result, requests: sent } = await reused({ pieces: [Buffer.from('HTTP/1.1 2')], resets: true, gapMs: 5 });
    expect(nameOf(result)).toBe('TimeoutError');
    expect(sent).toBe(1);
  });

  test('is not replaced if it was new', async () => {
    wire.script = { pieces: [], resets: true };
    const before = requests.length;
    expect(nameOf(await attempt(connections(), request, {}))).toBe('TimeoutError');
    expect(requests.length - before).toBe(1);
  });

  test('is not replaced for a cancelled request', async () => {
    const over = connections();
    wire.script = { pieces: [two] };
    await read(over);
    wire.script = { pieces: [] };
    const before = requests.length;
    const cancellation: Cancellation = { isOver: false, onEnd: undefined };
    const result = attempt(over, request, {}, cancellation);
    while (requests.length === before) await nextTurn();
    cancellation.onEnd?.();
    expect(nameOf(await result)).toBe('AbortError');
    expect(requests.length - before).toBe(1);
  });
});

test.each([
  [9_999, 0],
  [10_000, 1],
])('after %i ms of idling, the next request opens %i new connections', async (ms, opened) => {
  let now = Date.now();
  const over = connections(() => now);
  wire.script = { pieces: [two] };
  await read(over);
  const before = sockets.length;
  now += ms;
  expect(await read(over)).toBe('200 undefined 6f6b');
  expect(sockets.length - before).toBe(opened);
});

test('a response that starts or ends after the timeout closes its connection', async () => {
  wire.script = { pieces: [] };
  expect(nameOf(await attempt(connections(), request, { requestTimeout: 50 }))).toBe('TimeoutError');
  wire.script = { pieces: [two.subarray(0, -1)] };
  expect(await read(connections(), { requestTimeout: 50 })).toBe('200 undefined broke off');
});

test('the client rejects a request with a line break in its path or in a header', async () => {
  const before = requests.length;
  const odd = [{ headers: { host: 'a\r\nx: 1' } }, { headers: { host: 'a', x: 'a\nb' } }, { path: '/ HTTP/1.1\r\n' }];
  for (const part of odd) expect(await attempt(connections(), { ...request, ...part }, {})).toHaveProperty('error');
  expect(requests).toHaveLength(before);
});
