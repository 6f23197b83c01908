import { newDynamoClient } from '#aws/clients.ts';
import { perEnvironment } from '../process.ts';

/** Shared by all stores of a process, together with its connections. */
export const dynamoClient = perEnvironment(newDynamoClient);
