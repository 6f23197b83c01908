import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '#runtime/quick/answer.ts';
import { AnswerReader } from '#runtime/quick/answer-reader.ts';
import { attempt } from '#runtime/quick/attempt.ts';
import { Connections } from '#runtime/quick/connection.ts';
import { wireText } from '#runtime/quick/post.ts';

/** A server that answers each request with bytes of the test's choice, in pieces, and then may end the connection. */
const two = Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
let script: { readonly pieces: readonly Buffer[]; readonly ends?: boolean; readonly gapMs?: number };
const sockets: Socket[] = [];
const server = createServer({ noDelay: true }, (socket) => {
  sockets.push(socket);
  socket.on('error', () => undefined);
  let asked = '';
  socket.on('data', (bytes) => {
    asked += bytes.toString();
    if (!asked.endsWith('body')) return;
    asked = '';
    void play(socket);
  });
});

async function play(socket: Socket): Promise<void> {
  const { pieces, ends, gapMs } = script;
  for (const piece of pieces) {
    socket.write(piece);
    await (gapMs === undefined ? nextTurn() : sleep(gapMs));
  }
  if (ends) socket.end();
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

const text = wireText({ path: '/', headers: { host: 'a' }, body: 'body' });
const connections = () => new Connections(new URL(`http://127.0.0.1:${port}`));

async function read(over: Connections): Promise<string> {
  const outcome = await attempt(over, text, {});
  if ('error' in outcome) return 'no answer';
  const { status, headers } = outcome.reply.head;
  return told(status, headers.get('x-name'), outcome.reply.bytes());
}

/** The same with Node's client. */
async function readByNode(): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const asked = request({ agent, host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': '4' } });
  asked.end('body');
  try {
    const [reply] = await once(asked, 'response');
    return await told(reply.statusCode, reply.headers['x-name'], buffer(reply));
  } catch {
    return 'no answer';
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

test('every prefix of an answer waits for more or is refused, and none is taken for the whole', () => {
  const property = fc.property(answer, cuts, (whole, places) => {
    const reader = new AnswerReader();
    const body = cut(whole, places).flatMap((piece) => [...reader.push(piece)]);
    expect(reader.isComplete).toBe(true);
    for (let length = 0; length < whole.length; length++) {
      const partial = new AnswerReader();
      const early = Buffer.concat([...partial.push(whole.subarray(0, length))]);
      expect(partial.end()).toBe(false);
      expect(Buffer.concat(body).subarray(0, early.length)).toEqual(early);
    }
  });
  fc.assert(property, { numRuns: 100 });
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
  ['another coding', `${head}Transfer-Encoding: gzip, chunked${crlf}${crlf}0${crlf}${crlf}`],
  ['a chunk without a size', `${chunked}${crlf}a${crlf}`],
  ['a chunk of an odd size', `${chunked}0x1${crlf}a${crlf}`],
  ['a chunk of no size that a program holds', `${chunked}fffffffff${crlf}a`],
  ['a chunk that is longer than it says', `${chunked}1${crlf}ab${crlf}0${crlf}${crlf}`],
  ['more than the answer', `${head}Content-Length: 1${crlf}${crlf}ab`],
  ['a head without an end', `${head}x-name: ${'a'.repeat(20_000)}`],
  ['a line of a chunk without an end', `${chunked}1;${'a'.repeat(20_000)}`],
])('refused, and the connection with it: %s', async (_, bytesOfAnswer) => {
  const over = connections();
  const before = sockets.length;
  script = { pieces: [Buffer.from(bytesOfAnswer)] };
  expect(await read(over)).toMatch(/no answer|broke off|200 undefined 61/);
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
  expect((await reply.bytes()).equals(body)).toBe(true);
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

async function answerOver(over: Connections): Promise<Answer> {
  const outcome = await attempt(over, text, {});
  if ('error' in outcome) throw outcome.error;
  return outcome.reply;
}

test('a request whose header would end its line is not sent', () => {
  for (const odd of ['a\r\nx: 1', 'a\nb'])
    expect(() => wireText({ path: '/', headers: { host: odd }, body: '' })).toThrow(TypeError);
  expect(() => wireText({ path: '/ HTTP/1.1\r\n', headers: {}, body: '' })).toThrow(TypeError);
});
