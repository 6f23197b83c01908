import { dirname } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { TableSpec } from '#contract/platform/resources.ts';
import { isDamaged } from '../shared/files/sqlite-check.ts';
import { Problem } from '../shared/problems.ts';
import { createTables } from './create-tables.ts';
import { compactFile, type DatabaseFile, openDatabaseFile } from './database-file.ts';
import { type DatabaseProcess, startDatabaseProcess } from './database-process.ts';

const never = new Promise<never>(() => undefined);

/** The database with its tables: the embedded one, or the one that AWS_ENDPOINT_URL_DYNAMODB names. */
export interface Database {
  readonly url: string;
  /** For the service's own upkeep; the functions have clients of their own. */
  readonly client: DynamoDBClient;
  /** Of the embedded database. */
  readonly file: DatabaseFile | undefined;
  /** Resolves with a Problem when the embedded database ends by itself. */
  readonly died: Promise<Problem>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Where the embedded database keeps its data. */
  readonly file: string;
  /** Address of a database that runs already; then none is started. */
  readonly external: string | undefined;
  readonly tables: readonly TableSpec[];
}

/** Starts the database and makes the tables that are missing; throws a Problem when it cannot. */
export async function startDatabase({ file, external, tables }: DatabaseOptions): Promise<Database> {
  const embedded = external === undefined ? await startEmbedded(file) : undefined;
  const url = external ?? embedded?.url ?? '';
  const client = new DynamoDBClient({ endpoint: url });
  let opened: DatabaseFile | undefined;
  const close = async (): Promise<void> => {
    client.destroy();
    opened?.close();
    await embedded?.close();
  };
  try {
    await createTables(client, tables);
    if (embedded) opened = openDatabaseFile(file, tables);
  } catch (error) {
    await close();
    throw external === undefined ? error : unreachable(external, error);
  }
  return { url, client, file: opened, died: embedded?.died ?? never, close };
}

async function startEmbedded(file: string): Promise<DatabaseProcess> {
  if (isDamaged(file))
    throw new Problem(
      `The database ${file} is damaged. Move the folder ${dirname(file)} away to start with an empty one, or choose another with --data DIR.`,
    );
  compactFile(file);
  return startDatabaseProcess(file);
}

function unreachable(url: string, error: unknown): Problem {
  const reason = error instanceof Error ? error.message || error.name : String(error);
  return new Problem(`The database that AWS_ENDPOINT_URL_DYNAMODB names, ${url}, cannot be used: ${reason}.`, 1, {
    cause: error,
  });
}
