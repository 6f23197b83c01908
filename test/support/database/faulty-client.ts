import { DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { withConflictRetries } from '#aws/conflicts.ts';
import { tables } from '#contract/platform/resources.ts';

/** What happens to one attempt: its reply is lost after the write was done, or it is throttled or meets a transaction before. */
export type Fault = 'none' | 'lost reply' | 'throttle' | 'conflict';

/** The faults in turn; never more than two for one request, so that the client's third attempt gets through. */
export function inTurn(next: () => Fault | undefined): (requestId: string) => Fault {
  const suffered = new Map<string, number>();
  return (requestId) => {
    const before = suffered.get(requestId) ?? 0;
    const fault = before < 2 ? (next() ?? 'none') : 'none';
    suffered.set(requestId, before + 1);
    return fault;
  };
}

/** Numbers from 0 up to a bound, the same in each run with the same seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

/** Faults at random, so many of a hundred, the same in each run with the same seed. */
export function randomFaults(percent: number, seed: number): () => Fault {
  const draw = randomNumbers(seed);
  return () => {
    const drawn = draw(200);
    if (drawn >= 2 * percent) return 'none';
    return drawn % 2 === 0 ? 'lost reply' : 'throttle';
  };
}

/** Conflicts at random, so many of a hundred, the same in each run with the same seed. */
export function randomConflicts(percent: number, seed: number): () => Fault {
  const draw = randomNumbers(seed);
  return () => (draw(100) < percent ? 'conflict' : 'none');
}

/**
 * A client whose attempts suffer faults between the SDK's retry loop, which runs without its pauses, and the database.
 * `images` are the items that every write to the meters left, as the table's stream would carry them.
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
