import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { conditionally } from './conditional.ts';
import { failedConditions, type TransactItem } from './transaction.ts';

type Item = Record<string, unknown>;
type Key = Record<string, string | number>;

/** Items of DynamoDB, as far as a call on its way to a model reads and writes them: without sets, and written without bytes. */
export interface Items {
  /** As the primary copy has it; undefined when there is none. */
  get(TableName: string, key: Key): Promise<Item | undefined>;
  query(input: QueryCommandInput): Promise<{ readonly Items?: Item[]; readonly LastEvaluatedKey?: Item | undefined }>;
  /** False when its condition failed. */
  update(input: UpdateCommandInput): Promise<boolean>;
  /** All or nothing; false when a condition failed. A try that is repeated writes once. */
  commit(items: readonly TransactItem[]): Promise<boolean>;
}

export type ItemCommand = GetCommand | QueryCommand | UpdateCommand | TransactWriteCommand;

/** What DynamoDB's protocol calls a command's operation. */
export function operationOf(command: ItemCommand): string {
  if (command instanceof GetCommand) return 'GetItem';
  if (command instanceof QueryCommand) return 'Query';
  return command instanceof UpdateCommand ? 'UpdateItem' : 'TransactWriteItems';
}

/** Sends a command and returns its output; what is thrown is the SDK's. */
export type SendCommand = (command: ItemCommand) => Promise<ItemOutput>;

export interface ItemOutput {
  readonly Item?: Item | undefined;
  readonly Items?: Item[] | undefined;
  readonly LastEvaluatedKey?: Item | undefined;
}

/** By the SDK's client, whose types know each command by itself. */
export const sdkSend =
  (client: DynamoDBDocumentClient): SendCommand =>
  (command) => {
    if (command instanceof GetCommand) return client.send(command);
    if (command instanceof QueryCommand) return client.send(command);
    if (command instanceof UpdateCommand) return client.send(command).then(() => ({}));
    return client.send(command).then(() => ({}));
  };

export function itemsBy(send: SendCommand): Items {
  return {
    async get(TableName, Key) {
      return (await send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
    },
    async query(input) {
      const { Items: found = [], LastEvaluatedKey } = await send(new QueryCommand(input));
      return { Items: found, LastEvaluatedKey };
    },
    async update(input) {
      return 'done' in (await conditionally(send(new UpdateCommand(input))));
    },
    async commit(items) {
      const ClientRequestToken = crypto.randomUUID();
      try {
        await send(new TransactWriteCommand({ TransactItems: [...items], ClientRequestToken }));
        return true;
      } catch (error) {
        if (failedConditions(error).length > 0) return false;
        throw error;
      }
    },
  };
}
