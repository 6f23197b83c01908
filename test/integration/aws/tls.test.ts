import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { bundling } from '#lib/constructs/function-code.ts';
import { loopbackCertificate, loopbackKey } from '#test/transport/loopback-certificate.ts';

/** Calls twice, on two connections because each response closes its own. Prints the bodies or the error code. */
const script = `
import { text } from 'node:stream/consumers';
import { attempt, Connections } from '#aws/transport.ts';
const over = new Connections(process.argv[2]);
for (let call = 0; call < 2; call++) {
  const result = await attempt(over, { path: '/', headers: { host: new URL(process.argv[2]).host }, body: 'body' }, {});
  console.log('error' in result ? result.error.code : await text(result.response));
}`;

const folder = mkdtempSync(join(tmpdir(), 'quick-tls-'));
const program = join(folder, 'call-twice.mjs');
const trusted = join(folder, 'trusted.pem');
const seen: { name: string | false | null; isResumed: boolean }[] = [];
const server = createServer({ key: loopbackKey, cert: loopbackCertificate }, (socket: TLSSocket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => {
    seen.push({ name: socket.servername, isResumed: socket.isSessionReused() });
    socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok');
  });
});

beforeAll(async () => {
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  writeFileSync(trusted, loopbackCertificate);
  const { outExtension: _, ...options } = bundling;
  buildSync({
    ...options,
    splitting: false,
    stdin: { contents: script, resolveDir: import.meta.dirname },
    outfile: program,
  });
});
beforeEach(() => {
  seen.length = 0;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function callTwice(host: string, certificates: string): Promise<string[]> {
  const url = `https://${host}:${(server.address() as AddressInfo).port}`;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificates };
  const { stdout } = await promisify(execFile)(process.execPath, [program, url], { env });
  return stdout.trim().split('\n');
}

test('TLS sends the server name and resumes the session on the second connection', async () => {
  expect(await callTwice('localhost', trusted)).toEqual(['ok', 'ok']);
  expect(seen).toEqual([
    { name: 'localhost', isResumed: false },
    { name: 'localhost', isResumed: true },
  ]);
});

test('TLS verifies an IP address without sending it as the server name', async () => {
  expect(await callTwice('127.0.0.1', trusted)).toEqual(['ok', 'ok']);
  expect(seen).toMatchObject([{ name: false }, { name: false }]);
});

test('the client sends nothing to an untrusted server', async () => {
  expect(await callTwice('localhost', '')).toEqual(['DEPTH_ZERO_SELF_SIGNED_CERT', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
  expect(seen).toEqual([]);
});
