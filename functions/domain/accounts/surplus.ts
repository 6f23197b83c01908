interface Store<Row> {
  list(accountId: number): Promise<Row[]>;
  end(accountId: number, digest: string): Promise<void>;
}

/**
 * Call it after adding a row: of concurrent calls, the last sees all rows, and consistent ranks keep them from
 * deleting each other's.
 */
export async function endSurplus<Row extends { readonly digest: string }>(
  store: Store<Row>,
  accountId: number,
  rank: (row: Row) => number,
  max: number,
): Promise<void> {
  const all = await store.list(accountId);
  const best = all.toSorted((one, other) => rank(other) - rank(one) || one.digest.localeCompare(other.digest));
  for (const { digest } of best.slice(max)) await store.end(accountId, digest);
}
