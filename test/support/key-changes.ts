import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { keyChanges, throttle } from '#domain/accounts/throttle.ts';
import { keyService } from '#domain/keys/key-service.ts';
import { throttleStore } from '#repositories/accounts/throttles.ts';
import { keyStore } from '#repositories/keys/keys.ts';
import { withConflictRetries } from '#repositories/shared/conflicts.ts';
import { services } from '#runtime/container.ts';
import { tableName } from './rows.ts';

const client = () => DynamoDBDocumentClient.from(withConflictRetries(new DynamoDBClient()));

/** Forgets the changes of an account's keys, as a minute would: for tests of what is not their limit. */
export async function forgetKeyChanges(accountId: number): Promise<void> {
  const own = client();
  await throttle(throttleStore(own, tableName('accounts')), services().clock).clear(keyChanges, String(accountId));
  own.destroy();
}

/** What manages keys, without the limit on changes: for tests that need many of them at the same moment. */
export async function withUnlimitedKeys<T>(use: (keys: ReturnType<typeof keyService>) => Promise<T>): Promise<T> {
  const own = client();
  const { clock, random } = services();
  const store = keyStore(own, tableName('accounts'), tableName('meters'));
  const result = await use(keyService(store, async () => undefined, clock, random));
  own.destroy();
  return result;
}
