interface Store<Row> {
  list(accountId: number): Promise<Row[]>;
  end(accountId: number, digest: string): Promise<void>;
}

/**
 * Deletes an account's rows with the lowest ranks beyond `max`. Call it after adding a row: the last of several
 * concurrent calls sees all rows. The order must be the same for all of them, so that no call deletes another's row.
 */
export async function enforceRowLimit<Row extends { readonly digest: string }>(
  store: Store<Row>,
  accountId: number,
  rank: (row: Row) => number,
  max: number,
): Promise<void> {
  const all = await store.list(accountId);
  const best = all.toSorted((one, other) => rank(other) - rank(one) || one.digest.localeCompare(other.digest));
  for (const { digest } of best.slice(max)) await store.end(accountId, digest);
}
