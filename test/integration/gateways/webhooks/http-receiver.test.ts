import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptResult } from '#domain/webhooks/delivery.ts';
import { isAllowedAddress, type Targets } from '#domain/webhooks/target.ts';
import type { Receiver as Target } from '#domain/webhooks/worker.ts';
import { httpReceiver, type ReceiverSettings } from '#gateways/webhooks/http-receiver.ts';
import { loopbackCertificate, loopbackKey } from '#test/transport/loopback-certificate.ts';
import { hang, type Receiver, respondWith, startReceiver } from '#test/webhooks/receiver.ts';

let server: Receiver;
const open: Target[] = [];
beforeAll(async () => {
  server = await startReceiver();
});
afterAll(() => server.close());
afterEach(() => {
  for (const target of open.splice(0)) target.close();
  server.received.length = 0;
});

const to = (targets: Targets) => ({ isAllowed: (address: string) => isAllowedAddress(address, targets) });
const here = to('public and loopback');

function target(url = server.url, settings: Partial<ReceiverSettings> = {}): Target {
  const made = httpReceiver(url, { ...here, timeoutMs: 400, ...settings });
  open.push(made);
  return made;
}

const headers = { 'webhook-id': 'evt_1' };
const send = (url?: string, settings?: Partial<ReceiverSettings>): Promise<AttemptResult> =>
  target(url, settings).send(headers, '{"a":1}');

describe('a request', () => {
  it('is a POST of the unchanged body to path and query', async () => {
    server.respond(respondWith(201, { 'content-type': 'text/plain' }, 'thanks'));
    const result = await send(`${server.url}/a?b=c#d`);
    expect(result).toEqual({ status: 201, body: 'thanks', durationMs: expect.any(Number) });
    const [{ path, headers: sent, body } = { path: '', headers: {}, body: '' }] = server.received;
    expect([path, body]).toEqual(['/hook/a?b=c', '{"a":1}']);
    expect(sent).toMatchObject({
      'webhook-id': 'evt_1',
      'content-type': 'application/json',
      'content-length': '7',
      'user-agent': 'text-ai-webhooks/1',
    });
  });

  it('reuses the connection of an earlier one', async () => {
    server.respond(respondWith(204));
    const one = target();
    const ports = new Set<unknown>();
    server.respond((response) => {
      ports.add(response.socket?.remotePort);
      response.writeHead(204).end();
    });
    for (let count = 0; count < 20; count++) await one.send(headers, '{}');
    // The next request may start before the previous one releases its connection.
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

describe('a receiver', () => {
  it('is disconnected after the timeout if it hangs', async () => {
    server.respond(hang);
    const result = await send();
    expect(result).toEqual({ error: 'No response within 0.4 s.', durationMs: expect.any(Number) });
    expect(result.durationMs).toBeGreaterThanOrEqual(399);
    expect(result.durationMs).toBeLessThan(2000);
  });

  it('has responded once it starts a response, even if the response never ends', async () => {
    server.respond((response) => response.writeHead(200).write('beginning'));
    expect(await send()).toMatchObject({ status: 200, body: 'beginning' });
    server.respond((response) => response.writeHead(500).write('beginning'));
    expect(await send()).toMatchObject({ status: 500, body: 'beginning' });
  });

  it('is not followed if it redirects', async () => {
    server.respond(respondWith(302, { location: `${server.url}/elsewhere` }));
    expect(await send()).toMatchObject({ status: 302 });
    expect(server.received.map(({ path }) => path)).toEqual(['/hook']);
  });

  it.each([
    ['120', 120_000],
    [new Date(Date.now() + 60_000).toUTCString(), 60_000],
    [new Date(Date.now() - 60_000).toUTCString(), 0],
  ])('can request a pause: Retry-After: %s', async (value, expected) => {
    server.respond(respondWith(429, { 'retry-after': value }));
    const { retryAfterMs = -1 } = await send();
    expect(Math.abs(retryAfterMs - expected)).toBeLessThan(5000);
  });

  it.each(['soon', '-5', '1e9', '99999999999'])('cannot request a pause of %s', async (value) => {
    server.respond(respondWith(429, { 'retry-after': value }));
    expect(await send()).not.toHaveProperty('retryAfterMs');
  });

  it('that sends 10 MB is read up to 64 KB, of which 4 KB are kept', async () => {
    let written = 0;
    server.respond(async (response) => {
      response.writeHead(200, { 'content-length': 10 * 1024 * 1024 });
      const piece = Buffer.alloc(16 * 1024, 'x');
      for (; written < 10 * 1024 * 1024 && !response.destroyed; written += piece.length)
        if (!response.write(piece)) await new Promise((resolve) => setTimeout(resolve, 5));
    });
    const result = await send();
    expect(result).toMatchObject({ status: 200, body: 'x'.repeat(4096) });
    await expect.poll(() => server.received.length).toBe(1);
    // Data in the kernel's buffers can no longer be stopped.
    expect(written).toBeLessThan(8 * 1024 * 1024);
  });

  it.each([
    ['1xx responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2000)],
    ['an extension of a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'a'.repeat(65_536)],
  ])('is disconnected long before the timeout if it sends %s without end', async (_, head, piece) => {
    const flood = createTcpServer((socket) => {
      const write = () => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('error', () => undefined).on('drain', write);
      socket.once('data', () => {
        socket.write(head);
        write();
      });
    });
    const { durationMs } = await send(`http://127.0.0.1:${await listening(flood)}/`, { timeoutMs: 15_000 });
    expect(durationMs).toBeLessThan(5000);
    flood.close();
  });

  it('that sends invalid UTF-8 or long text has its body cut between characters', async () => {
    server.respond(respondWith(200, {}, '🎉'.repeat(2000)));
    expect((await send()).body).toBe('🎉'.repeat(1024));
    server.respond((response) => response.writeHead(200).end(Buffer.from([0xff, 0x00, 0x41])));
    expect((await send()).body).toBe('\ufffd\u0000A');
    server.respond(respondWith(200, {}, `x${'🎉'.repeat(2000)}`));
    expect((await send()).body).toBe(`x${'🎉'.repeat(1023)}`);
  });

  it('that is down, resets or does not send HTTP is reported in a sentence', async () => {
    const closed = await startReceiver();
    await closed.close();
    expect(await send(closed.url)).toMatchObject({ error: 'The connection was refused.' });
    server.respond((response) => response.destroy());
    expect((await send()).error).toMatch(/^The connection was (reset|closed before a response)\.$/);
    const other = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await send(`http://127.0.0.1:${await listening(other)}/`)).toMatchObject({
      error: 'The response is not valid HTTP.',
    });
    other.close();
  });

  it('with an untrusted certificate receives nothing', async () => {
    const secrets: string[] = [];
    const other = createTlsServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
      secrets.push(request.url ?? '');
      response.end();
    });
    expect((await send(`https://localhost:${await listening(other)}/`)).error).toMatch(/^TLS failed: \w+\.$/);
    expect(secrets).toEqual([]);
    other.close();
  });
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const named = () => `http://hooks.example.com:${server.port}/`;
const forbidden = { error: 'The host has an address that is not public.', durationMs: expect.any(Number) };
const address = (text: string) => ({ address: text, family: text.includes(':') ? 6 : 4 });

describe('an address that is forbidden for webhooks', () => {
  it('is never connected to, by name or by IP address', async () => {
    const inner = { ...to('public'), resolve: async () => [address('127.0.0.1')] };
    expect(await send(named(), inner)).toEqual(forbidden);
    expect(await send(server.url, to('public'))).toEqual(forbidden);
    expect(await send(`http://[::ffff:127.0.0.1]:${server.port}/`, to('public'))).toEqual(forbidden);
    expect(await send(`http://169.254.169.254/`, here)).toEqual(forbidden);
    expect(server.received).toEqual([]);
  });

  it('is not connected to, even if its name has a public address too', async () => {
    for (const found of [
      ['93.184.215.14', '127.0.0.1'],
      ['::1', '2606:4700::1111'],
    ])
      expect(await send(named(), { ...to('public'), resolve: async () => found.map(address) })).toEqual(forbidden);
    expect(server.received).toEqual([]);
  });

  it('is not connected to if the name changes between two look-ups', async () => {
    let looks = 0;
    const rebinding = async () => [address(looks++ === 0 ? '127.0.0.1' : '10.0.0.1')];
    const one = target(named(), { ...here, resolve: rebinding });
    server.respond((response) => response.writeHead(204, { connection: 'close' }).end());
    expect(await one.send(headers, '{}')).toMatchObject({ status: 204 });
    // Each connection uses exactly the address that was checked: one look-up per connection.
    expect(looks).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await one.send(headers, '{}')).toEqual(forbidden);
    expect(looks).toBe(2);
    expect(server.received).toHaveLength(1);
  });

  it('is also assumed for a name without an address, and a failed look-up is reported', async () => {
    expect(await send(named(), { ...to('public'), resolve: async () => [] })).toEqual(forbidden);
    const failing = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await send(named(), { ...to('public'), resolve: failing })).toMatchObject({
      error: 'The host name could not be resolved.',
    });
  });
});
