import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { ItemOutput } from '#aws/attributes.ts';
import { conditionally } from './conditional.ts';
import { failedConditions, type TransactItem } from './transaction.ts';

type Item = Record<string, unknown>;
type Key = Record<string, string | number>;

/** The DynamoDB operations of a call before its model request. Without sets; writes without binary. */
export interface Items {
  /** Consistent read; undefined if the item does not exist. */
  get(TableName: string, key: Key): Promise<Item | undefined>;
  query(input: QueryCommandInput): Promise<{ readonly Items?: Item[]; readonly LastEvaluatedKey?: Item | undefined }>;
  update(input: UpdateCommandInput): Promise<boolean>;
  /** Writes all or nothing. Returns false if a condition failed. Retries are idempotent. */
  commit(items: readonly TransactItem[]): Promise<boolean>;
}

export type ItemCommand = GetCommand | QueryCommand | UpdateCommand | TransactWriteCommand;

/** Returns the protocol name of a command's operation. */
export function operationOf(command: ItemCommand): string {
  if (command instanceof GetCommand) return 'GetItem';
  if (command instanceof QueryCommand) return 'Query';
  return command instanceof UpdateCommand ? 'UpdateItem' : 'TransactWriteItems';
}

export type SendCommand = (command: ItemCommand) => Promise<ItemOutput>;

/** Sends through the SDK's client, whose types accept only specific commands. */
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
