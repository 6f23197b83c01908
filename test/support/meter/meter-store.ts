import { beforeAll } from 'vitest';
import { tables } from '#contract/platform/resources.ts';
import type { MeterStore } from '#domain/meter/meter.ts';
import { meterStore } from '#repositories/meter/meters.ts';
import { ambient } from '#runtime/process.ts';
import { useTestDatabase } from '../database/database.ts';

/** Starts a database before the tests of a file, with the store of its meters. */
export function useMeters() {
  const database = useTestDatabase();
  const store = {} as MeterStore;
  beforeAll(() => void Object.assign(store, meterStore(database.client, tables.meters.name, ambient.random)));
  return { database, store };
}
