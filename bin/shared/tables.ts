import { tableVariables } from '#contract/platform/environment.ts';
import type { TableId } from '#contract/platform/resources.ts';

const list = new Intl.ListFormat('en-GB');

/** Throws unless the environment names all these tables. */
export function requireTables(...needed: readonly TableId[]): void {
  const missing = needed.map((table) => tableVariables[table]).filter((name) => !process.env[name]);
  if (missing.length === 0) return;
  throw new Error(
    missing.length === 1
      ? `${missing[0]} is not set: set it to the name of the deployed table.`
      : `${list.format(missing)} are not set: set them to the names of the deployed tables.`,
  );
}
