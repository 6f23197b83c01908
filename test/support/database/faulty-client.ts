import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { withConflictRetries } from '#aws/conflicts.ts';
import { tables } from '#contract/platform/resources.ts';

/**
 * The fault of one attempt: it is executed but its reply is lost, or it is throttled or conflicts before it is
 * executed.
 */
export type Fault = 'none' | 'lost reply' | 'throttle' | 'conflict';

/** Returns the faults in turn, but at most two for one request, so that the client's third attempt succeeds. */
export function inTurn(next: () => Fault | undefined): (requestId: string) => Fault {
  const suffered = new Map<string, number>();
  return (requestId) => {
    const before = suffered.get(requestId) ?? 0;
    const fault = before < 2 ? (next() ?? 'none') : 'none';
    suffered.set(requestId, before + 1);
    return fault;
  };
}

function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Random faults of the given percentage of attempts, reproducible by seed. */
export function randomFaults(percent: number, seed: number): () => Fault {
  const draw = randomNumbers(seed);
  return () => {
    const drawn = draw(200);
    if (drawn >= 2 * percent) return 'none';
    return drawn % 2 === 0 ? 'lost reply' : 'throttle';
  };
}

/** Random conflicts of the given percentage of attempts, reproducible by seed. */
export function randomConflicts(percent: number, seed: number): () => Fault {
  const draw = randomNumbers(seed);
  return () => (draw(100) < percent ? 'conflict' : 'none');
}

/**
 * A client with faults between the SDK's retry loop, which does not pause, and the database. `images` are the items
 * after each write to the meters, as in the table's stream.
 */
export function faultyClient(url: string, fault: (requestId: string) => Fault = () => 'none') {
  const client = withConflictRetries(
    new DynamoDBClient({ endpoint: url, retryStrategy: new ConfiguredRetryStrategy(3, 0) }),
  );
  const images: Record<string, unknown>[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const input = args.input as { TableName?: string; ReturnValues?: string };
        if (commandName !== 'UpdateItemCommand' || input.TableName !== tables.meters.name) return next(args);
        return next({ ...args, input: { ...input, ReturnValues: 'ALL_NEW' } });
      },
    { step: 'initialize' },
  );
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const { headers } = args.request as { headers: Record<string, string> };
        const suffered = fault(headers['amz-sdk-invocation-id'] ?? '');
        if (suffered === 'throttle') throw failure('ThrottlingException');
        if (suffered === 'conflict' && isTransaction(commandName)) throw cancellation();
        if (suffered === 'conflict' && isWrite(commandName)) throw failure('TransactionConflictException');
        const result = await next(args);
        const written = (result.output as { Attributes?: Record<string, unknown> }).Attributes;
        if (written?.['last']) images.push(written);
        if (suffered === 'lost reply') throw failure('TimeoutError');
        return result;
      },
    { step: 'deserialize', priority: 'high' },
  );
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return { client: documents, images };
}

const isTransaction = (command: string): boolean => command === 'TransactWriteItemsCommand';
const isWrite = (command: string): boolean => /^(?:Put|Update|Delete)Item/.test(command);

function cancellation(): Error {
  return new TransactionCanceledException({
    message: 'Transaction cancelled',
    CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
    $metadata: {},
  });
}

function failure(name: string): Error {
  return Object.assign(new Error(name), { name, $metadata: {} });
}
