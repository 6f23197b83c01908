import { newDynamoClient } from '#aws/clients.ts';
import { ambient, perEnvironment } from '../process.ts';

/** Shared by all stores of a process, together with its connections. */
export const dynamoClient = perEnvironment(() => {
  const client = newDynamoClient();
  ambient.adaptDatabaseClient?.(client);
  return client;
});
