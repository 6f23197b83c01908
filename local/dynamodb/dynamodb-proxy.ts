import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
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

export const isWriting = (operation: string): boolean => /^(?:Put|Update|Delete)Item$|Write/.test(operation);

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
   * Inserts the rows of a batch in a transaction, because the database writes to the disk for each row of a batch. Returns
   * undefined if one cannot be inserted: the reply to the batch then describes each row.
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
