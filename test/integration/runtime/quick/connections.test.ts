import { once } from 'node:events';
import { Agent, request as nodeRequest } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AttemptResult, attempt, type Cancellation, type TransportOptions } from '#runtime/quick/attempt.ts';
import { Connections } from '#runtime/quick/connections.ts';
import type { HttpResponse } from '#runtime/quick/http-response.ts';

/** A server that answers each request with bytes of the test's choice, in pieces, and then may end the connection. */
const two = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
interface Script {
  readonly pieces: readonly Buffer[];
  readonly ends?: boolean;
  readonly gapMs?: number;
  /** The connection is reset after the pieces. */
  readonly resets?: boolean;
}
let script: Script;
const requests: number[] = [];
const sockets: Socket[] = [];
const server = createServer({ noDelay: true }, (socket) => {
  sockets.push(socket);
  socket.on('error', () => undefined);
  let asked = '';
  socket.on('data', (bytes) => {
    asked += bytes.toString();
    if (!asked.endsWith('body')) return;
    asked = '';
    requests.push(requests.length);
    void play(socket);
  });
});

async function play(socket: Socket): Promise<void> {
  const { pieces, ends, gapMs, resets } = script;
  for (const piece of pieces) {
    socket.write(piece);
    await (gapMs === undefined ? nextTurn() : sleep(gapMs));
  }
  if (ends) socket.end();
  if (resets) socket.resetAndDestroy();
}

let port: number;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const request = { path: '/', headers: { host: 'a' }, body: 'body' };
const connections = (now?: () => number) => new Connections(`http://127.0.0.1:${port}`, now);

async function read(over: Connections, options: TransportOptions = {}): Promise<string> {
  const result = await attempt(over, request, options);
  if ('error' in result) return 'no response';
  const { status, headers } = result.response;
  const name = headers['x-name'];
  return told(status, Array.isArray(name) ? name.join(', ') : name, buffer(result.response));
}

/** The same with Node's client. */
async function readByNode(): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const asked = nodeRequest({ agent, host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': '4' } });
  asked.end('body');
  try {
    const [reply] = await once(asked, 'response');
    return await told(reply.statusCode, reply.headers['x-name'], buffer(reply));
  } catch {
    return 'no response';
  } finally {
    agent.destroy();
  }
}

async function told(status: number, name: string | undefined, body: Promise<Buffer>): Promise<string> {
  const bytes = await body.catch(() => undefined);
  return `${status} ${name} ${bytes ? bytes.toString('hex') : 'broke off'}`;
}

const token = fc
  .string({ unit: fc.constantFrom(...'abc XYZ019'.split('')), maxLength: 12 })
  .map((value) => value.trim());
const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
const crlf = '\r\n';
const lengthFramed = bytes.map((body) =>
  Buffer.concat([Buffer.from(`Content-Length: ${body.length}${crlf}${crlf}`), body]),
);
const chunkFramed = fc
  .record({
    chunks: fc.array(bytes.filter(({ length }) => length > 0)),
    extension: fc.constantFrom('', ';a=1'),
    trailer: fc.boolean(),
  })
  .map(({ chunks, extension, trailer }) =>
    Buffer.concat([
      Buffer.from(`Transfer-Encoding: chunked${crlf}${crlf}`),
      ...chunks.flatMap((chunk) => [
        Buffer.from(`${chunk.length.toString(16)}${extension}${crlf}`),
        chunk,
        Buffer.from(crlf),
      ]),
      Buffer.from(`0${crlf}${trailer ? `x-after: 1${crlf}` : ''}${crlf}`),
    ]),
  );
const answer = fc
  .record({
    interim: fc.boolean(),
    status: fc.constantFrom(200, 204, 304, 400, 503),
    name: token,
    twice: fc.boolean(),
    framed: fc.oneof(lengthFramed, chunkFramed),
  })
  .map(({ interim, status, name, twice, framed }) => {
    const before = interim ? `HTTP/1.1 103 Early Hints${crlf}x-name: early${crlf}${crlf}` : '';
    const header = `X-Name: ${name}${crlf}`;
    const head = Buffer.from(`${before}HTTP/1.1 ${status} Word${crlf}${header}${twice ? header : ''}`);
    const hasBody = status !== 204 && status !== 304;
    return Buffer.concat([head, hasBody ? framed : Buffer.from(crlf)]);
  });
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 });

function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => Math.floor(place * whole.length)), whole.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => whole.subarray(index === 0 ? 0 : ends[index - 1], end));
}

test('an answer is read as Node’s own client reads it, wherever its bytes are cut', async () => {
  const over = connections();
  const property = fc.asyncProperty(answer, cuts, async (whole, places) => {
    script = { pieces: cut(whole, places).filter(({ length }) => length > 0) };
    expect(await read(over)).toBe(await readByNode());
  });
  await fc.assert(property, { numRuns: 150 });
});

test('a response that is cut anywhere is never taken for the whole', async () => {
  const property = fc.asyncProperty(
    answer,
    fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    async (whole, place) => {
      const part = whole.subarray(0, Math.floor(place * whole.length));
      script = { pieces: part.length > 0 ? [part] : [], ends: true };
      expect(await read(connections())).toMatch(/no response|broke off/);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

const head = `HTTP/1.1 200 OK${crlf}`;
const chunked = `${head}Transfer-Encoding: chunked${crlf}${crlf}`;

test.each([
  ['what is not HTTP', `SSH-2.0-OpenSSH${crlf}${crlf}`],
  ['another version', `HTTP/2 200 OK${crlf}Content-Length: 0${crlf}${crlf}`],
  ['a status that is none', `HTTP/1.1 20 OK${crlf}${crlf}`],
  ['a header without a name', `${head}: a${crlf}${crlf}`],
  ['a space before a colon', `${head}Content-Length : 0${crlf}${crlf}`],
  ['a folded header', `${head}x-name: a${crlf} b${crlf}Content-Length: 0${crlf}${crlf}`],
  ['two lengths', `${head}Content-Length: 1${crlf}Content-Length: 2${crlf}${crlf}ab`],
  ['a length with a sign', `${head}Content-Length: +1${crlf}${crlf}a`],
  ['a length beyond all numbers', `${head}Content-Length: 99999999999999999999${crlf}${crlf}a`],
  ['a length beside chunks', `${head}Content-Length: 1${crlf}Transfer-Encoding: chunked${crlf}${crlf}0${crlf}${crlf}`],
  ['a chunk without a size', `${chunked}${crlf}a${crlf}`],
  ['a chunk of an odd size', `${chunked}0x1${crlf}a${crlf}`],
  ['a chunk of no size that a program holds', `${chunked}fffffffffffffffff${crlf}a`],
  ['a chunk that is longer than it says', `${chunked}1${crlf}ab${crlf}0${crlf}${crlf}`],
  ['more than the answer', `${head}Content-Length: 1${crlf}${crlf}ab`],
  ['a head without an end', `${head}x-name: ${'a'.repeat(20_000)}`],
])('refused, and the connection with it: %s', async (_, bytesOfAnswer) => {
  const over = connections();
  const before = sockets.length;
  script = { pieces: [Buffer.from(bytesOfAnswer)] };
  expect(await read(over)).toMatch(/no response|broke off|200 undefined 61/);
  script = { pieces: [two] };
  expect(await read(over)).toBe('200 undefined 6f6b');
  expect(sockets.length - before).toBe(2);
});

test.each<[string, string, { ends?: boolean }, number]>([
  ['kept after a length', `${head}Content-Length: 2${crlf}${crlf}ok`, {}, 1],
  ['kept after chunks', `${chunked}2${crlf}ok${crlf}0${crlf}${crlf}`, {}, 1],
  ['left when the answer says so', `${head}Connection: close${crlf}Content-Length: 2${crlf}${crlf}ok`, {}, 3],
  ['left by HTTP/1.0', `HTTP/1.0 200 OK${crlf}Content-Length: 2${crlf}${crlf}ok`, {}, 3],
  ['left when its end is the answer’s', `${head}${crlf}ok`, { ends: true }, 3],
  ['left when it ended unasked', `${head}Content-Length: 2${crlf}${crlf}ok`, { ends: true }, 3],
])('a connection is %s', async (_, bytesOfAnswer, how, used) => {
  const over = connections();
  const before = sockets.length;
  script = { pieces: [Buffer.from(bytesOfAnswer)], ...how };
  for (let call = 0; call < 3; call++) {
    expect(await read(over)).toBe('200 undefined 6f6b');
    await sleep(5);
  }
  expect(sockets.length - before).toBe(used);
});

test('words that nobody asked for end an idle connection, and are no part of the next answer', async () => {
  const over = connections();
  script = { pieces: [two] };
  await read(over);
  sockets.at(-1)!.write(`${head}Content-Length: 4${crlf}${crlf}evil`);
  await sleep(10);
  expect(await read(over)).toBe('200 undefined 6f6b');
});

test('an answer that nobody reads holds its sender back, and then comes whole', async () => {
  const body = Buffer.alloc(8 * 1024 * 1024, 'a');
  script = { pieces: [Buffer.from(`${head}Content-Length: ${body.length}${crlf}${crlf}`), body] };
  const reply = await answerOver(connections());
  await sleep(50);
  expect(sockets.at(-1)!.writableLength).toBeGreaterThan(0);
  expect((await buffer(reply)).equals(body)).toBe(true);
});

test.each([
  [10, 0],
  [400, 1],
])('an answer that is left may end: with %i ms between five chunks it takes %i connections', async (gapMs, lost) => {
  const over = connections();
  script = { pieces: [two] };
  await read(over);
  const before = sockets.length;
  const chunks = Array<Buffer>(5).fill(Buffer.from(`1${crlf}a${crlf}`));
  script = { pieces: [Buffer.from(chunked), ...chunks, Buffer.from(`0${crlf}${crlf}`)], gapMs };
  for await (const _ of await answerOver(over)) break;
  await sleep(1200);
  script = { pieces: [two] };
  expect(await read(over)).toBe('200 undefined 6f6b');
  expect(sockets.length - before).toBe(lost);
});

async function answerOver(over: Connections): Promise<HttpResponse> {
  const result = await attempt(over, request, {});
  if ('error' in result) throw result.error;
  return result.response;
}

/** A connection that has served a request, and what the next request over it meets. */
async function reused(next: Script) {
  const over = connections();
  script = { pieces: [two] };
  await read(over);
  const before = { sockets: sockets.length, requests: requests.length };
  script = next;
  const result = await attempt(over, request, {});
  return { result, sockets: sockets.length - before.sockets, requests: requests.length - before.requests };
}

const nameOf = (result: AttemptResult) => ('error' in result ? (result.error as Error).name : result.response.status);

describe('a connection that breaks', () => {
  test('is replaced once, if it was a kept one and no byte of a response had come', async () => {
    const { result, ...counts } = await reused({ pieces: [], resets: true });
    expect(nameOf(result)).toBe('TimeoutError');
    expect(counts).toEqual({ sockets: 1, requests: 2 });
  });

  test('is replaced by one that serves the request', async () => {
    const over = connections();
    script = { pieces: [two] };
    await read(over);
    script = { pieces: [], resets: true };
    const before = requests.length;
    const result = attempt(over, request, {});
    while (requests.length === before) await nextTurn();
    script = { pieces: [two] };
    expect(nameOf(await result)).toBe(200);
    expect(requests.length - before).toBe(2);
  });

  test('is not replaced after the first byte of a response', async () => {
    const { result, requests: sent } = await reused({ pieces: [Buffer.from('HTTP/1.1 2')], resets: true, gapMs: 5 });
    expect(nameOf(result)).toBe('TimeoutError');
    expect(sent).toBe(1);
  });

  test('is not replaced if it was new', async () => {
    script = { pieces: [], resets: true };
    const before = requests.length;
    expect(nameOf(await attempt(connections(), request, {}))).toBe('TimeoutError');
    expect(requests.length - before).toBe(1);
  });

  test('is not replaced for a request that was cancelled', async () => {
    const over = connections();
    script = { pieces: [two] };
    await read(over);
    script = { pieces: [] };
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
])('a connection that was idle for %i ms by the clock is followed by %i new one', async (ms, opened) => {
  let now = Date.now();
  const over = connections(() => now);
  script = { pieces: [two] };
  await read(over);
  const before = sockets.length;
  now += ms;
  expect(await read(over)).toBe('200 undefined 6f6b');
  expect(sockets.length - before).toBe(opened);
});

test('a response that does not come, or does not end, in its time ends the connection', async () => {
  script = { pieces: [] };
  expect(nameOf(await attempt(connections(), request, { requestTimeout: 50 }))).toBe('TimeoutError');
  script = { pieces: [two.subarray(0, -1)] };
  expect(await read(connections(), { requestTimeout: 50 })).toBe('200 undefined broke off');
});

test('a request whose path or header would end its line is not sent', async () => {
  const before = requests.length;
  const odd = [{ headers: { host: 'a\r\nx: 1' } }, { headers: { host: 'a', x: 'a\nb' } }, { path: '/ HTTP/1.1\r\n' }];
  for (const part of odd) expect(await attempt(connections(), { ...request, ...part }, {})).toHaveProperty('error');
  expect(requests).toHaveLength(before);
});
