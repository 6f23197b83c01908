import { once } from 'node:events';
import { Agent, request as nodeRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bytes,
  chunked,
  crlf,
  head,
  read,
  summaryOf,
  two,
  useScriptedServer,
} from '#test/transport/scripted-server.ts';

const wire = useScriptedServer();
const { sockets, connections } = wire;

/** Sends the same request with Node's client. */
async function readByNode(): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const outgoing = nodeRequest({
    agent,
    host: '127.0.0.1',
    port: wire.port,
    method: 'POST',
    headers: { 'content-length': '4' },
  });
  outgoing.end('body');
  try {
    const [reply] = await once(outgoing, 'response');
    return await summaryOf(reply.statusCode, reply.headers['x-name'], buffer(reply));
  } catch {
    return 'no response';
  } finally {
    agent.destroy();
  }
}

const token = fc
  .string({ unit: fc.constantFrom(...'abc XYZ019'.split('')), maxLength: 12 })
  .map((value) => value.trim());
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
const responseBytes = fc
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

test('the parser agrees with Node’s client wherever the bytes are split', async () => {
  const over = connections();
  const property = fc.asyncProperty(responseBytes, cuts, async (whole, places) => {
    wire.script = { pieces: cut(whole, places).filter(({ length }) => length > 0) };
    expect(await read(over)).toBe(await readByNode());
  });
  await fc.assert(property, { numRuns: 150 });
});

test('a truncated response is never complete, wherever it is cut', async () => {
  const property = fc.asyncProperty(
    responseBytes,
    fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    async (whole, place) => {
      const part = whole.subarray(0, Math.floor(place * whole.length));
      wire.script = { pieces: part.length > 0 ? [part] : [], ends: true };
      expect(await read(connections())).toMatch(/no response|broke off/);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test.each([
  ['bytes that are not HTTP', `SSH-2.0-OpenSSH${crlf}${crlf}`],
  ['another version', `HTTP/2 200 OK${crlf}Content-Length: 0${crlf}${crlf}`],
  ['an invalid status', `HTTP/1.1 20 OK${crlf}${crlf}`],
  ['a header without a name', `${head}: a${crlf}${crlf}`],
  ['a space before a colon', `${head}Content-Length : 0${crlf}${crlf}`],
  ['a folded header', `${head}x-name: a${crlf} b${crlf}Content-Length: 0${crlf}${crlf}`],
  ['two lengths', `${head}Content-Length: 1${crlf}Content-Length: 2${crlf}${crlf}ab`],
  ['a length with a sign', `${head}Content-Length: +1${crlf}${crlf}a`],
  ['a length beyond all numbers', `${head}Content-Length: 99999999999999999999${crlf}${crlf}a`],
  [
    'a length together with chunks',
    `${head}Content-Length: 1${crlf}Transfer-Encoding: chunked${crlf}${crlf}0${crlf}${crlf}`,
  ],
  ['a chunk without a size', `${chunked}${crlf}a${crlf}`],
  ['a chunk of an odd size', `${chunked}0x1${crlf}a${crlf}`],
  ['a chunk of an excessive size', `${chunked}fffffffffffffffff${crlf}a`],
  ['a chunk that is longer than it declares', `${chunked}1${crlf}ab${crlf}0${crlf}${crlf}`],
  ['more than the response', `${head}Content-Length: 1${crlf}${crlf}ab`],
  ['a head without an end', `${head}x-name: ${'a'.repeat(20_000)}`],
])('the parser rejects the response and closes its connection: %s', async (_, bytesOfResponse) => {
  const over = connections();
  const before = sockets.length;
  wire.script = { pieces: [Buffer.from(bytesOfResponse)] };
  expect(await read(over)).toMatch(/no response|broke off|200 undefined 61/);
  wire.script = { pieces: [two] };
  expect(await read(over)).toBe('200 undefined 6f6b');
  expect(sockets.length - before).toBe(2);
});

test.each<[string, string, { ends?: boolean }, number]>([
  ['reused after a response with a length', `${head}Content-Length: 2${crlf}${crlf}ok`, {}, 1],
  ['reused after a chunked response', `${chunked}2${crlf}ok${crlf}0${crlf}${crlf}`, {}, 1],
  ['closed after “Connection: close”', `${head}Connection: close${crlf}Content-Length: 2${crlf}${crlf}ok`, {}, 3],
  ['closed after an HTTP/1.0 response', `HTTP/1.0 200 OK${crlf}Content-Length: 2${crlf}${crlf}ok`, {}, 3],
  ['closed after a response that ends with it', `${head}${crlf}ok`, { ends: true }, 3],
  ['closed after the server has ended it', `${head}Content-Length: 2${crlf}${crlf}ok`, { ends: true }, 3],
])('a connection is %s', async (_, bytesOfResponse, how, used) => {
  const over = connections();
  const before = sockets.length;
  wire.script = { pieces: [Buffer.from(bytesOfResponse)], ...how };
  for (let call = 0; call < 3; call++) {
    expect(await read(over)).toBe('200 undefined 6f6b');
    await sleep(5);
  }
  expect(sockets.length - before).toBe(used);
});

test('unsolicited bytes close an idle connection and never become part of the next response', async () => {
  const over = connections();
  wire.script = { pieces: [two] };
  await read(over);
  sockets.at(-1)!.write(`${head}Content-Length: 4${crlf}${crlf}evil`);
  await sleep(10);
  expect(await read(over)).toBe('200 undefined 6f6b');
});
