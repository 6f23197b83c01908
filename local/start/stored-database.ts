import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { tables } from '#contract/platform/resources.ts';
import { ambient } from '#runtime/process.ts';
import { startDatabase } from '../dynamodb/database.ts';
import { openClock } from '../shared/clock.ts';
import { openDataFolder, processUsing, readJsonFile } from '../shared/data-folder.ts';
import { Problem } from '../shared/problems.ts';
import { externalEndpoints, setCredentials, tableNames } from './environment.ts';

export const databaseFile = 'dynamodb.sqlite';
/** In the data folder: the address of the running service's database. */
export const databaseUrlFile = 'database.json';

/** The database of a data folder, for a command. `about`: a sentence that names it. */
export interface StoredDatabase {
  readonly about: string;
  close(): Promise<void>;
}

/**
 * Makes the functions of this process use the database of a data folder, and its clock: that of the running service, or
 * a database that runs until `close`. Throws a Problem if the folder has none.
 */
export async function useStoredDatabase(folder: string): Promise<StoredDatabase> {
  const path = resolve(folder);
  if (!existsSync(join(path, databaseFile)))
    throw new Problem(`There is no database in ${path}. Name the data folder of npm start with --data DIR.`, 2);
  const database = await opened(path);
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = database.url;
  useLocalTables();
  ambient.clock = await openClock(join(path, 'clock.json'));
  return database;
}

async function opened(path: string): Promise<StoredDatabase & { readonly url: string }> {
  const pid = await processUsing(path);
  if (pid !== undefined) {
    const stored = await readJsonFile(join(path, databaseUrlFile), v.object({ url: v.string() }));
    if (!stored) throw new Problem(`The service with process id ${pid} is starting. Try again when it is ready.`, 2);
    const about = `Using the database of the running service (process id ${pid}) in ${path}.`;
    return { about, url: stored.url, close: async () => undefined };
  }
  const held = await openDataFolder(path, () => undefined);
  try {
    setCredentials(externalEndpoints());
    const specs = Object.values(tables);
    const database = await startDatabase({ file: held.file(databaseFile), external: undefined, tables: specs });
    const close = async (): Promise<void> => {
      await database.close();
      await held.release();
    };
    return { about: `No service is running: using the database in ${path}.`, url: database.url, close };
  } catch (error) {
    await held.release();
    throw error;
  }
}

/** Local tables have the names of the contract and need no credentials. */
export function useLocalTables(): void {
  setCredentials(externalEndpoints());
  for (const [variable, name] of Object.entries(tableNames())) process.env[variable] ||= name;
}
