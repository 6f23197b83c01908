import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Pool } from 'undici';
import * as v from 'valibot';
import type { FaultOf, Faults } from '../shared/faults.ts';
import { type Loopback, listen, listener, readBody } from '../shared/loopback.ts';

/** Receives the operation's name, such as `UpdateItem`. A rejection drops the client's connection. */
export type ProxyHook = (operation: string) => void | Promise<void>;

type AppliedFault = FaultOf<'dynamodb'> | undefined;

export interface DynamoProxyOptions {
  readonly upstream: string;
  readonly faults: Faults;
  /**
   * Awaited before the request is forwarded. If the client disconnects in the meantime, the request is dropped. May
   * return the fault to apply.
   */
  readonly onRequest?: (operation: string) => ReturnType<ProxyHook> | AppliedFault | Promise<AppliedFault>;
  /** Awaited before the response is returned. */
  readonly onReply?: ProxyHook;
  readonly onWrite?: () => void;
}

/**
 * Operations on items, to which faults apply. Table and stream operations are excluded so that the service keeps
 * running.
 */
const dataPlane = /^DynamoDB_\d+\.(?:(?:Get|Put|Update|Delete)Item|Query|Scan|Batch\w+|Transact\w+|Execute\w+)$/;

const isWriting = (operation: string): boolean => /^(?:Put|Update|Delete)Item$|Write/.test(operation);

/** Operations that a transaction on the same item can reject. */
const conflicting = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'TransactWriteItems']);

/** Forwards requests to the database, unchanged except for Host, and applies the faults ordered for `dynamodb`. */
export async function startDynamoProxy({
  upstream,
  faults,
  onRequest,
  onReply,
  onWrite,
}: DynamoProxyOptions): Promise<Loopback> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1024, maxFreeSockets: 256 });
  const { host, hostname, port } = new URL(upstream);

  const proxy = listener(async (req, res) => {
    const target = String(req.headers['x-amz-target'] ?? '');
    const operation = target.slice(target.indexOf('.') + 1);
    let own: AppliedFault | void;
    if (onRequest) {
      own = await onRequest(operation);
      await nextPoll();
      if (req.socket.destroyed || req.destroyed) return;
    }
    const isApplicable = (fault: FaultOf<'dynamodb'>) => fault !== 'conflict' || conflicting.has(operation);
    const fault = own ?? (dataPlane.test(target) ? faults.take('dynamodb', isApplicable) : undefined);
    if (fault && fault !== 'lost-reply') {
      const body = await readBody(req);
      return sendFault(res, fault === 'conflict' ? conflict(operation, body) : faultReplies[fault]);
    }
    const body = await readBody(req);
    const inserted = operation === 'BatchExecuteStatement' ? await insertAll(req, body) : undefined;
    const reply = inserted ?? (await forward(req, body));
    if (isWriting(operation)) onWrite?.();
    await onReply?.(operation);
    if (fault === 'lost-reply') throw new Error('Simulated loss of the reply.');
    res.writeHead(reply.status, reply.rawHeaders);
    res.end(reply.body);
  });

  /**
   * Inserts the rows of a batch in a transaction, because the database writes to the disk for each row of a batch.
   * Returns undefined if one cannot be inserted: the reply to the batch then describes each row.
   */
  async function insertAll(req: IncomingMessage, batch: Buffer): Promise<Reply | undefined> {
    const { success, output } = v.safeParse(InsertBatch, batch.toString());
    if (!success) return undefined;
    const body = Buffer.from(JSON.stringify({ TransactStatements: output.Statements }));
    const reply = await forward(req, body, 'ExecuteTransaction');
    return reply.status === 200 ? reply : undefined;
  }

  /** Sends the whole body at once: a pipeline takes longer than the rest of the request. */
  async function forward(req: IncomingMessage, body: Buffer, operation?: string): Promise<Reply> {
    const { method, url: path, rawHeaders } = req;
    const replaced = new Map([
      ['host', host],
      ['content-length', String(body.length)],
    ]);
    if (operation !== undefined) replaced.set('x-amz-target', `DynamoDB_20120810.${operation}`);
    const headers = rawHeaders.map((text, index) =>
      index % 2 === 1 ? (replaced.get(rawHeaders[index - 1]?.toLowerCase() ?? '') ?? text) : text,
    );
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ agent, hostname, port, method, path, headers }, resolve).on('error', reject).end(body);
    });
    return { status: reply.statusCode ?? 502, rawHeaders: reply.rawHeaders, body: await readBody(reply) };
  }

  const server = await listen(proxy);
  return {
    ...server,
    async close() {
      await server.close();
      agent.destroy();
    },
  };
}

interface Reply {
  readonly status: number;
  readonly rawHeaders: string[];
  readonly body: Buffer;
}

const InsertBatch = v.pipe(
  v.string(),
  v.parseJson(),
  v.strictObject({ Statements: v.array(v.looseObject({ Statement: v.pipe(v.string(), v.startsWith('INSERT ')) })) }),
);

/** Waits one turn of the event loop, to notice the disconnect of a client that a hook has killed. */
async function nextPoll(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

interface FaultReply {
  readonly status: number;
  readonly error: object;
}

const dynamo = 'com.amazonaws.dynamodb.v20120810#';

/** SDK clients retry both: the first by its type, the second by its status. */
const faultReplies = {
  throttle: {
    status: 400,
    error: {
      __type: `${dynamo}ThrottlingException`,
      message: 'Throughput exceeds the current capacity of your table or index.',
    },
  },
  unavailable: {
    status: 503,
    error: {
      __type: 'com.amazon.coral.availability#ServiceUnavailableException',
      message: 'The service is temporarily unavailable.',
    },
  },
} satisfies Record<string, FaultReply>;

const Transaction = v.pipe(v.string(), v.parseJson(), v.object({ TransactItems: v.array(v.unknown()) }));
const ongoing = 'Transaction is ongoing for the item';

/**
 * The error of a write that conflicts with a transaction, attributed to its first item. SDK clients do not retry it
 * (AWS "Transaction conflict handling in DynamoDB").
 */
function conflict(operation: string, body: Buffer): FaultReply {
  if (operation !== 'TransactWriteItems')
    return { status: 400, error: { __type: `${dynamo}TransactionConflictException`, message: ongoing } };
  const { TransactItems } = v.parse(Transaction, body.toString());
  const CancellationReasons = TransactItems.map((_, index) =>
    index === 0 ? { Code: 'TransactionConflict', Message: ongoing } : { Code: 'None' },
  );
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ');
  const Message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return { status: 400, error: { __type: `${dynamo}TransactionCanceledException`, CancellationReasons, Message } };
}

function sendFault(res: ServerResponse, { status, error }: FaultReply): void {
  const body = Buffer.from(JSON.stringify(error));
  res.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': body.length,
    'x-amz-crc32': crc32(body),
  });
  res.end(body);
}

export interface DirectOptions {
  /** Origin of the proxy, which the client is configured with. */
  readonly proxy: string;
  /** Origin of the embedded database. */
  readonly url: string;
  readonly faults: Pick<Faults, 'isOrdered'>;
  readonly onWrite: () => void;
}

/** Sends the requests of clients to the embedded database itself. */
export interface DirectRequests {
  readonly adapt: (client: DynamoDBDocumentClient) => void;
  close(): Promise<void>;
}

type Handler = DynamoDBDocumentClient['config']['requestHandler'];
type Request = Parameters<Handler['handle']>[0];
type Output = Awaited<ReturnType<Handler['handle']>>;

const timeoutMs = 5000;

/** The embedded database requires a signature, and accepts any. */
const signature = {
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/**
 * Lets the SDK clients of functions bypass the proxy, which only adds faults, and skip signing, which took half of a
 * request's CPU time together. A request passes through the proxy while a fault is ordered, if it can be cancelled, or
 * if the proxy changes it.
 */
export function directRequests({ proxy, url, faults, onWrite }: DirectOptions): DirectRequests {
  const pool = new Pool(url, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });

  function send({ method, path, headers, body }: Request): Promise<Output> {
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    const pieces: Buffer[] = [];
    let head: Pick<Output['response'], 'statusCode' | 'headers'>;
    pool.dispatch(
      { method: method === 'POST' ? method : 'GET', path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, statusCode, received) => {
          const texts = Object.entries(received).map(([name, text]) => [name, String(text)]);
          head = { statusCode, headers: Object.fromEntries(texts) };
        },
        onResponseData: (_, piece) => void pieces.push(piece),
        onResponseEnd: () => resolve({ response: { ...head, body: Buffer.concat(pieces) } }),
        onResponseError: (_, error) => reject(broken(error)),
      },
    );
    return promise;
  }

  function adapt(client: DynamoDBDocumentClient): void {
    const { requestHandler: proxied } = client.config;
    const handle: Handler['handle'] = async (request, options = {}) => {
      Object.assign(request.headers, signature);
      const operation = (request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
      const isChanged = operation === 'BatchExecuteStatement';
      const isProxied = `${request.protocol}//${request.hostname}:${request.port}` === proxy;
      if (!isProxied || isChanged || 'abortSignal' in options || faults.isOrdered('dynamodb'))
        return proxied.handle(request, options);
      const output = await send(request);
      if (isWriting(operation)) onWrite();
      return output;
    };
    client.config.requestHandler = Object.assign(Object.create(proxied), { handle });
    client.middlewareStack.remove('httpSigningMiddleware');
    client.middlewareStack.remove('loggerMiddleware');
  }

  return { adapt, close: () => pool.destroy() };
}

/** Converts a connection error to one that the SDK retries. */
function broken(error: Error): Error {
  const code = 'code' in error && !String(error.code).startsWith('UND_') ? error.code : 'ECONNRESET';
  return Object.assign(new Error(error.message, { cause: error }), { name: 'TimeoutError', code });
}
