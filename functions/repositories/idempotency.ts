import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { isServiceName, type ServiceName } from '#contract/billing/prices.ts';
import { type ErrorCode, errorStatus } from '#contract/shared/errors.ts';
import type { IdempotencyStore } from '#domain/shared/idempotency.ts';
import { seconds } from './accounts/account-items.ts';
import { conditionally } from './shared/conditional.ts';

const Code = v.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(errorStatus, code));

const Service = v.custom<ServiceName>((name) => typeof name === 'string' && isServiceName(name));

const StoredResponse = v.union([
  v.object({ status: v.number(), message: v.string(), data: v.unknown() }),
  v.object({ code: Code, detail: v.string() }),
]);

/** The response is JSON text, because DynamoDB maps lose the order of fields and nest at most 32 levels. */
const Row = v.object({
  requestId: v.string(),
  fingerprint: v.string(),
  running: v.boolean(),
  lapsesAt: v.number(),
  used: v.optional(v.object({ service: Service, model: v.string() })),
  answer: v.optional(v.pipe(v.string(), v.parseJson(), StoredResponse)),
});

const isMine = 'requestId = :requestId';
const isMineAndRunning = `${isMine} AND running = :true`;

/** Writes are idempotent: a repeated or late claim never reopens a completed record. */
export function idempotencyStore(client: DynamoDBDocumentClient, table: string): IdempotencyStore {
  return {
    async claim({ id, ...claim }, now, expiresAt) {
      const rules = { isNew: 'attribute_not_exists(id)', isOver: 'lapsesAt <= :now', isMine: `(${isMineAndRunning})` };
      const write = new PutCommand({
        TableName: table,
        Item: { id, ...claim, running: true, lapsesAt: expiresAt, ttl: seconds(expiresAt) },
        ConditionExpression: Object.values(rules).join(' OR '),
        ExpressionAttributeValues: { ':now': now, ':requestId': claim.requestId, ':true': true },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      const outcome = await conditionally(client.send(write));
      return 'done' in outcome ? undefined : recordOf(outcome.met);
    },
    async complete({ id, ...claim }, response, expiresAt, used) {
      const kept = response && { answer: JSON.stringify(response) };
      const write = new PutCommand({
        TableName: table,
        Item: {
          id,
          ...claim,
          running: false,
          ...kept,
          ...(used && { used }),
          lapsesAt: expiresAt,
          ttl: seconds(expiresAt),
        },
        ConditionExpression: isMine,
        ExpressionAttributeValues: { ':requestId': claim.requestId },
      });
      await conditionally(client.send(write));
    },
    async release({ id, requestId }) {
      const write = new DeleteCommand({
        TableName: table,
        Key: { id },
        ConditionExpression: isMineAndRunning,
        ExpressionAttributeValues: { ':requestId': requestId, ':true': true },
      });
      await conditionally(client.send(write));
    },
    async count(id, max, expiresAt) {
      const write = new UpdateCommand({
        TableName: table,
        Key: { id },
        UpdateExpression: 'SET #ttl = :ttl ADD requests :one',
        ConditionExpression: 'attribute_not_exists(id) OR requests < :max',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':ttl': seconds(expiresAt), ':one': 1, ':max': max },
      });
      return 'done' in (await conditionally(client.send(write)));
    },
  };
}

function recordOf(row: unknown) {
  const { answer: response, lapsesAt: expiresAt, used, ...record } = v.parse(Row, row);
  return { ...record, expiresAt, used, response };
}
