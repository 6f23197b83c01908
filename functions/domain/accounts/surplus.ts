interface Store<Row> {
  list(accountId: number): Promise<Row[]>;
  end(accountId: number, digest: string): Promise<void>;
}

/**
 * Ends what an account has too many of, the lowest rank first. To be called after one is opened: of many opened concurrently,
 * the last to count sees all; where all rank alike, none of them ends one that another keeps.
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
