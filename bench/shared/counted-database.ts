import { Agent, type IncomingMessage, request } from 'node:http';
import { listen, listener, type Loopback, readBody } from '#local/shared/loopback.ts';

/** Capacity units by table, or `table/index`. */
export type Units = Record<string, { read: number; write: number }>;

interface Capacity {
  readonly CapacityUnits?: number;
}

interface Consumed {
  readonly TableName?: string;
  readonly Table?: Capacity;
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, Capacity>>;
}

/** Operations that report their units. */
const counted =
  /^DynamoDB_\d+\.(?:((?:Put|Update|Delete|BatchWrite|TransactWrite)Items?|BatchExecuteStatement)|(?:Get|BatchGet|TransactGet)Items?|Query|Scan)$/;

/** Forwards requests to a database and sums the units that it reports, whatever client sent them. */
export async function startCountedDatabase(upstream: string): Promise<Loopback & { readonly take: () => Units }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  let units: Units = {};

  function add(name: string, kind: 'read' | 'write', { CapacityUnits = 0 }: Capacity = {}): void {
    const sum = (units[name] ??= { read: 0, write: 0 });
    sum[kind] += CapacityUnits;
  }

  function addAll(kind: 'read' | 'write', { TableName = '', Table, GlobalSecondaryIndexes = {} }: Consumed): void {
    add(TableName, kind, Table);
    for (const [index, capacity] of Object.entries(GlobalSecondaryIndexes))
      add(`${TableName}/${index}`, kind, capacity);
  }

  function forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { hostname, port, host } = new URL(upstream);
    const changed = { ...headers, host, 'content-length': String(body.length) };
    request({ agent, hostname, port, method, path: url, headers: changed }, resolve).on('error', reject).end(body);
    return promise;
  }

  const server = await listen(
    listener(async (req, res) => {
      const asked = await readBody(req);
      const match = counted.exec(String(req.headers['x-amz-target'] ?? ''));
      const counting = match
        ? Buffer.from(JSON.stringify({ ...JSON.parse(asked.toString()), ReturnConsumedCapacity: 'INDEXES' }))
        : asked;
      const reply = await forward(req, counting);
      const answer = await readBody(reply);
      const { 'x-amz-crc32': _, ...headers } = reply.headers;
      if (!match || reply.statusCode !== 200) {
        res.writeHead(reply.statusCode ?? 502, headers).end(answer);
        return;
      }
      const { ConsumedCapacity = [], ...output } = JSON.parse(answer.toString());
      for (const one of [ConsumedCapacity].flat()) addAll(match[1] ? 'write' : 'read', one);
      const body = Buffer.from(JSON.stringify(output));
      res.writeHead(200, { ...headers, 'content-length': String(body.length) }).end(body);
    }),
  );
  return {
    ...server,
    take() {
      const taken = units;
      units = {};
      return taken;
    },
    async close() {
      await server.close();
      agent.destroy();
    },
  };
}
