import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { Session, SessionStore } from '#domain/accounts/session-store.ts';
import { accountOf, SessionItem, sessionKey, sessionRow, userKey } from './account-items.ts';
import { conditionally } from './conditional.ts';
import { readable } from './readable.ts';

export function sessionStore(client: DynamoDBDocumentClient, table: string): SessionStore {
  async function open(accountId: number, session: Session): Promise<void> {
    await client.send(new PutCommand({ TableName: table, Item: sessionRow(accountId, session) }));
  }

  /** Session and user in one round trip. */
  async function find(accountId: number, digest: string) {
    const Keys = [sessionKey(accountId, digest), userKey(accountId)];
    const request = { RequestItems: { [table]: { Keys, ConsistentRead: true } } };
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetCommand(request));
    if (UnprocessedKeys?.[table]) throw Object.assign(new Error('not all was read'), { name: 'ThrottlingException' });
    const items = Responses?.[table] ?? [];
    const session = items.find((item) => item['sk'] !== 'user');
    const user = items.find((item) => item['sk'] === 'user');
    const [found] = readable(SessionItem, session ? [session] : []);
    return found && user ? { session: found, account: accountOf(user) } : undefined;
  }

  async function list(accountId: number): Promise<Session[]> {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sessions)',
        ExpressionAttributeValues: { ':pk': userKey(accountId).pk, ':sessions': 'session#' },
        ConsistentRead: true,
      }),
    );
    return readable(SessionItem, Items);
  }

  async function touch(accountId: number, digest: string, now: number): Promise<void> {
    const write = new UpdateCommand({
      TableName: table,
      Key: sessionKey(accountId, digest),
      UpdateExpression: 'SET lastSeenAt = :now',
      ConditionExpression: 'lastSeenAt < :now',
      ExpressionAttributeValues: { ':now': now },
    });
    await conditionally(client.send(write));
  }

  async function end(accountId: number, digest: string): Promise<void> {
    await client.send(new DeleteCommand({ TableName: table, Key: sessionKey(accountId, digest) }));
  }

  return { open, find, list, touch, end };
}
