import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser } from '#test/browser.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { killCommands, runLocal } from '#test/service/local-command.ts';

/** A TCP port that a process listens on. `address` is dotted IPv4, or the 32 hex digits of an IPv6 address. */
interface Listening {
  readonly address: string;
  readonly port: number;
}

const listenState = '0A';

/** Every port on which the process or a child of it listens, from the kernel's list. */
async function listeningPorts(pid: number): Promise<Listening[]> {
  const sockets = new Set((await Promise.all((await processTree(pid)).map(socketsOf))).flat());
  const tables = await Promise.all(['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8')));
  return tables
    .flatMap((table) => table.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === listenState && sockets.has(inode!))
    .map(([, local = '']) => {
      const [address = '', port = ''] = local.split(':');
      return { address: address.length === 8 ? dotted(address) : address, port: Number.parseInt(port, 16) };
    });
}

/** The kernel prints the four bytes in reverse order. */
const dotted = (hex: string): string => [...Buffer.from(hex, 'hex')].toReversed().join('.');

async function processTree(root: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const parents = new Map(await Promise.all(pids.map(async (pid) => [pid, await parentOf(pid)] as const)));
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parents.get(pid)));
  return pids.filter(isBelow);
}

async function parentOf(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(parent) || undefined;
}

async function socketsOf(pid: number): Promise<string[]> {
  const handles = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(handles.map((handle) => readlink(`/proc/${pid}/fd/${handle}`).catch(() => '')));
  return links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []);
}

let folder: string;
let port: number;
let ports: Listening[];
let demo: { email: string; password: string; apiKey: string };

beforeAll(async () => {
  folder = await testFolder();
  const command = runLocal(['--port', '0', '--data', folder]);
  const origin = await command.ready;
  port = Number(new URL(origin).port);
  ports = await listeningPorts(command.pid);
  demo = ((await (await fetch(`${origin}/_local/status`)).json()) as { demo: typeof demo }).demo;
});
afterAll(async () => {
  await killCommands();
  await removeFolder(folder);
});

interface Order {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A request as a browser could send it: it reaches this address with any Host header. */
async function send({ address, port }: Listening, { method = 'GET', path = '/', headers = {}, body }: Order) {
  const sent = request({ host: address, port, method, path, headers, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode!, headers: response.headers, text: await text(response) };
}

/** The embedded database checks that a signature exists, not its signer. */
const signedByNobody = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': 'DynamoDB_20120810.ListTables',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** A request that each server accepts from the service itself. */
const orders: readonly Order[] = [
  { method: 'POST', headers: signedByNobody, body: '{}' },
  {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
    body: '{"QueueUrl":"http://127.0.0.1/000000000000/ledger-retry"}',
  },
  { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'Action=SendEmail' },
  { method: 'POST', path: '/endpoints/svc-1/invocations', body: '{"messages":[{"role":"user","content":"Hello"}]}' },
  ...['/', '/docs', '/config.json', '/_local/status', '/_local/mail', '/_local/inbox', '/_local/clock', '/nothing'].map(
    (path) => ({
      path,
    }),
  ),
  { method: 'POST', path: '/_local/clock', body: '{"advance":"P1D"}' },
  ...['/api/plans', '/v1/models', '/openai/v1/models'].map((path) => ({ path })),
  { method: 'POST', path: '/api/auth/login', headers: { 'content-type': 'application/json' }, body: '{}' },
];

const cors = (headers: IncomingMessage['headers']): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

/**
 * Sends every request to every port with the headers of a foreign page. Ports blocked by browsers are
 * excluded. A browser test below verifies them.
 */
/** `atFront` is the status of the port for people. All other ports return 403. */
async function expectRefused(
  headersFor: (listening: Listening) => Record<string, string>,
  atFront = 403,
): Promise<void> {
  for (const listening of ports.filter(({ address }) => address === '127.0.0.1'))
    for (const order of orders) {
      const response = await send(listening, { ...order, headers: { ...order.headers, ...headersFor(listening) } });
      const where = `${listening.port === port ? 'front' : listening.port} ${order.method ?? 'GET'} ${order.path ?? '/'}`;
      const status = listening.port === port ? atFront : 403;
      expect([where, response.status, cors(response.headers)]).toEqual([where, status, []]);
      expect(response.text).not.toContain(demo.password);
      expect(response.text).not.toContain(demo.apiKey);
    }
}

describe('the ports of npm start', () => {
  it('are all on loopback', () => {
    expect(ports.length).toBeGreaterThan(3);
    expect(ports.filter(({ address }) => !address.startsWith('127.'))).toEqual([]);
    expect(ports).toContainEqual({ address: '127.0.0.1', port });
  });

  it.each([
    ['a foreign name', () => 'evil.example'],
    ['a foreign name with the right port', (own: number) => `evil.example:${own}`],
    ['a name that begins like ours', (own: number) => `127.0.0.1.evil.example:${own}`],
    ['a name that ends like ours', (own: number) => `evil-localhost:${own}`],
    ['a foreign name with our address as its user', (own: number) => `127.0.0.1:${own}@evil.example`, 400],
    ['another address', (own: number) => `192.168.1.2:${own}`],
    ['any address', (own: number) => `0.0.0.0:${own}`],
    ['another port', (own: number) => `127.0.0.1:${own === 65_535 ? 1 : own + 1}`],
  ])('refuse a Host that is %s, as sent by a page after DNS rebinding', async (_name, hostOf, atFront = 403) => {
    await expectRefused(({ port: own }) => ({ host: hostOf(own) }), atFront);
  });

  it('refuse a target URL with another host, whatever the Host header', async () => {
    for (const listening of ports.filter(({ address }) => address === '127.0.0.1'))
      for (const { path = '/', ...order } of orders)
        expect((await send(listening, { ...order, path: `http://evil.example${path}` })).status).toBe(403);
  });

  it.each([
    ['another site', () => 'https://evil.example'],
    ['null', () => 'null'],
    ['empty', () => ''],
    ['not a valid URL', () => 'http://[::1'],
    ['another port of this machine', () => 'http://127.0.0.1:1'],
    ['another scheme', (own: number) => `https://127.0.0.1:${own}`],
    ['another name of this machine', (own: number) => `http://localhost:${own}`],
    ["the dashboard's with a suffix", (own: number) => `http://127.0.0.1:${own}.evil.example`],
  ])('refuse an Origin that is %s', async (_name, originOf) => {
    await expectRefused(({ port: own }) => ({ origin: originOf(own) }));
  });

  it.each(['cross-site', 'same-site', 'cross-site, none'])(
    'refuse requests that a browser marks as %s',
    async (site) => {
      await expectRefused(() => ({ 'sec-fetch-site': site }));
    },
  );

  it('permit no cross-origin preflight, not even from the dashboard', async () => {
    for (const listening of ports.filter(({ address }) => address === '127.0.0.1'))
      for (const origin of ['https://evil.example', `http://127.0.0.1:${port}`]) {
        const headers = {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-amz-target',
        };
        const response = await send(listening, { method: 'OPTIONS', path: '/v1/models', headers });
        expect(response.status).toBeGreaterThanOrEqual(400);
        expect(cors(response.headers)).toEqual([]);
      }
  });

  it('refuse their own origin, except the port of the dashboard', async () => {
    for (const listening of ports.filter(({ address, port: own }) => address === '127.0.0.1' && own !== port))
      for (const order of orders) {
        const headers = { ...order.headers, origin: `http://127.0.0.1:${listening.port}` };
        expect((await send(listening, { ...order, headers })).status).toBe(403);
      }
  });

  it('return errors in the format of the path', async () => {
    const front = { address: '127.0.0.1', port };
    const bodyOf = async (path: string) => {
      const { headers, text: body } = await send(front, { path, headers: { host: 'evil.example' } });
      if (!path.startsWith('/_local')) expect(headers['x-request-id']).toBeTruthy();
      return JSON.parse(body);
    };
    for (const path of ['/v1/models', '/api/plans', '/'])
      expect(await bodyOf(path)).toEqual({
        message: 'INSUFFICIENT_PERMISSIONS',
        error: true,
        data: null,
        status: 403,
        detail: `The Host header must be 127.0.0.1:${port} or localhost:${port}.`,
      });
    expect(await bodyOf('/openai/v1/models')).toMatchObject({ error: { code: 'insufficient_permissions' } });
    expect(await bodyOf('/_local/status')).toEqual({ error: expect.stringMatching(/^The Host header must be .*\.$/) });
  });

  it.each(['127.0.0.1', 'localhost'])(
    'accept the dashboard as %s, and a link to its pages from anywhere',
    async (name) => {
      const front = { address: '127.0.0.1', port };
      const host = `${name}:${port}`;
      const headers = {
        host,
        origin: `http://${host}`,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ email: demo.email, password: demo.password });
      expect((await send(front, { method: 'POST', path: '/api/auth/login', headers, body })).status).toBe(200);
      const link = { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
      for (const path of ['/', '/docs', '/_local/inbox', '/_local/clock'])
        expect((await send(front, { path, headers: link })).status).toBe(200);
      for (const path of [
        '/api/auth/confirm?token=x',
        '/v1/models',
        '/openai/v1/models',
        '/_local/status',
        '/_local/mail',
      ])
        expect((await send(front, { path, headers: link })).status).toBe(403);
      const frame = { ...link, 'sec-fetch-dest': 'iframe' };
      for (const path of ['/', '/_local/inbox']) expect((await send(front, { path, headers: frame })).status).toBe(403);
    },
  );

  it('return nothing readable to a page of another port in a real browser, on any address', async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    const evil = createServer((_request, response) => response.end('Evil')).listen(0, '127.0.0.1');
    await once(evil, 'listening');
    await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    const responses = await page.evaluate(
      async ({ ports, orders }) => {
        const all: string[] = [];
        for (const { address, port } of ports)
          for (const { method, path = '/', headers, body } of orders)
            await fetch(`http://${address}:${port}${path}`, { method, headers, body } as RequestInit).then(
              async (response) => all.push(`${address}:${port}${path} ${response.status} ${await response.text()}`),
              () => undefined,
            );
        return all;
      },
      { ports, orders },
    );
    await browser.close();
    evil.close();
    expect(responses).toEqual([]);
  });

  it('include a database port that browsers block, on an address that changes at every start', async () => {
    const otherFolder = await testFolder();
    const other = runLocal(['--port', '0', '--data', otherFolder]);
    await other.ready;
    const hidden = (list: readonly Listening[]) => list.filter(({ address }) => address !== '127.0.0.1');
    const all = [...hidden(ports), ...hidden(await listeningPorts(other.pid))];
    expect(all).toHaveLength(2);
    expect(all[0]!.address).not.toBe(all[1]!.address);
    // Node's fetch blocks the same ports as browsers (Fetch standard, "port blocking").
    for (const { address, port: blocked } of all)
      await expect(fetch(`http://${address}:${blocked}/`)).rejects.toMatchObject({ cause: { message: 'bad port' } });
    await removeFolder(otherFolder);
  });
});
