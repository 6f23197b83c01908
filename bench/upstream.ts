import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { payloadPart } from '#local/sagemaker/reply.ts';
import { benchAccounts } from './shared/database.ts';
import { chunkGapMs, events, wholeReply } from './shared/model-replies.ts';

/**
 * The upstream of every gateway in one process, each over its real protocol: the model as an OpenAI-compatible server
 * and as SageMaker's runtime, and a DynamoDB stub. Usage: `upstream.ts <port>`.
 */

interface HttpRequest {
  readonly target: string;
  readonly head: string;
  readonly body: string;
}

/**
 * A server for POST requests with a Content-Length over persistent connections. It parses as little HTTP as possible,
 * because it shares a CPU with the clients and adds to every measured time.
 */
function serveRequests(port: number, handle: (request: HttpRequest, socket: Socket) => void): void {
  const server = createServer({ noDelay: true }, (socket) => {
    let received: Buffer = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      const request = requestIn(received);
      if (!request) return;
      received = Buffer.alloc(0);
      handle(request, socket);
    });
  });
  server.listen(port, '127.0.0.1');
}

function requestIn(bytes: Buffer): HttpRequest | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a request without a length: ${head.slice(0, 200)}`);
  const body = bytes.subarray(end + 4);
  if (body.length < Number(length)) return undefined;
  return { target: head.slice('POST '.length, head.indexOf(' ', 'POST '.length)), head, body: body.toString() };
}

/** Sends a 200 response with an ASCII body. */
function sendWhole(socket: Socket, type: string, body: string, headers = ''): void {
  socket.write(`${headOf(type)}${headers}content-length: ${body.length}\r\n\r\n${body}`, 'latin1');
}

function beginChunks(socket: Socket, type: string): void {
  socket.write(`${headOf(type)}transfer-encoding: chunked\r\n\r\n`);
}

/** Returns the last chunk if called without text. */
function chunkOf(part: Uint8Array = new Uint8Array()): Buffer {
  return Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
}

const headOf = (type: string): string => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n`;

/** Buckets of the rate window (functions/domain/meter/rate-window.ts). An account that never pauses has all of them. */
const bucketMs = 3000;
const windowBuckets = 21;

const accountPlaceholder = '987654321';
const holdPlaceholder = 'hold-of-the-request';

let cachedTemplate: { readonly bucket: number; readonly text: readonly string[] } = { bucket: 0, text: [] };

/**
 * DynamoDB's response to an UpdateItem on a meter: the item of a busy account, with the account and the hold of the
 * request. It stores almost nothing, so that the benchmark measures the caller and not a database.
 */
function updateItemOutput(request: string): string {
  if (!request.includes('"ReturnValues":"ALL_NEW"')) return '{}';
  keyIds.set(accountOf(request), named(request, '"#key":"'));
  return `{"Attributes":${itemOf(request, named(request, '"#request":"'))}}`;
}

/**
 * DynamoDB's response to a GetItem, which authenticates the key of a long prompt before its tokens are counted: the
 * same item with the key of the account's last admission.
 */
function getItemOutput(request: string): string {
  const keys = marshall({ k: { [keyIds.get(accountOf(request)) ?? '']: 4_000_000_000 } });
  return `{"Item":${itemOf(request, 'a-call-before').slice(0, -1)},${JSON.stringify(keys).slice(1)}}`;
}

/** Id of the last used key, by account. */
const keyIds = new Map<string, string>();
const accountOf = (request: string): string => named(request, '"Key":{"a":{"N":"');

function itemOf(request: string, hold: string): string {
  const [before, between, after] = template();
  return `${before}${accountOf(request)}${between}${hold}${after}`;
}

/** The text between a prefix and the next quote. */
function named(request: string, mark: string): string {
  const start = request.indexOf(mark) + mark.length;
  return request.slice(start, request.indexOf('"', start));
}

/**
 * The item's JSON, split at the account and the hold. Rebuilt for each bucket, because bucket names depend on the time.
 */
function template(): readonly string[] {
  const bucket = Math.floor(Date.now() / bucketMs);
  if (cachedTemplate.bucket !== bucket) {
    const text = JSON.stringify(marshall(steadyItem(bucket)));
    cachedTemplate = { bucket, text: text.split(new RegExp(`${accountPlaceholder}|${holdPlaceholder}`)) };
  }
  return cachedTemplate.text;
}

function steadyItem(bucket: number): Record<string, unknown> {
  const [account] = benchAccounts(1);
  const admitted = 5000;
  const names = Array.from({ length: windowBuckets }, (_, age) => (bucket - age).toString(36));
  return {
    // Keep these first and in this order, as the parts of the template are.
    a: Number(accountPlaceholder),
    h: { [holdPlaceholder]: [1_000_000, Math.ceil(Date.now() / 1000) + 150, 'chat', 'svc-1-32k', 'a'.repeat(22)] },
    ...withoutPlaceholders(account?.item ?? {}),
    n: admitted,
    m: admitted + 2000,
    b: Object.fromEntries(names.map((name, age) => [name, admitted + 2000 - age * 80])),
    u: { chat: 5_000_000_000 },
  };
}

function withoutPlaceholders({
  a: _account,
  h: _holds,
  k: _keys,
  ...rest
}: Record<string, unknown>): Record<string, unknown> {
  return rest;
}

const frames = events.map((event) => Buffer.from(payloadPart(event)));

function serve({ target, head, body }: HttpRequest, socket: Socket): void {
  if (target === '/') sendItem(head, body, socket);
  else if (target.endsWith('/invocations-response-stream')) void sendStream(socket, sageMakerStream);
  else if (!body.includes('"stream":true')) sendWhole(socket, 'application/json', wholeReply(body));
  else void sendStream(socket, openAiStream);
}

interface Stream {
  readonly type: string;
  readonly chunks: readonly Buffer[];
}

const openAiStream: Stream = { type: 'text/event-stream', chunks: events.map(chunkOf) };
const sageMakerStream: Stream = { type: 'application/vnd.amazon.eventstream', chunks: frames.map(chunkOf) };

async function sendStream(socket: Socket, { type, chunks }: Stream): Promise<void> {
  socket.cork();
  beginChunks(socket, type);
  for (const [index, chunk] of chunks.entries()) {
    if (index > 0 && index < chunks.length - 1) await sleep(chunkGapMs);
    const hasRoom = socket.write(chunk);
    if (index === 0) socket.uncork();
    if (!hasRoom) await once(socket, 'drain');
  }
  socket.write(chunkOf());
}

function sendItem(head: string, body: string, socket: Socket): void {
  const operation = /DynamoDB_20120810\.(\w+)/.exec(head)?.[1] ?? '';
  const output = outputs[operation]?.(body);
  if (output === undefined) throw new Error(`the stub does not support ${operation}`);
  const headers = `x-amzn-requestid: BENCH\r\nx-amz-crc32: ${crc32(output)}\r\n`;
  sendWhole(socket, 'application/x-amz-json-1.0', output, headers);
}

const outputs: Readonly<Record<string, (body: string) => string>> = {
  UpdateItem: updateItemOutput,
  GetItem: getItemOutput,
};

serveRequests(Number(process.argv[2]), serve);
