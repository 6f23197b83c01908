import * as v from 'valibot';
import type { ExportItem } from '#contract/accounts/accounts.ts';
import { parseJson } from '#contract/shared/json.ts';
import { ServiceError } from '../shared/service-error.ts';

/** Rows of one source after a position, oldest first. */
export interface SourceRows {
  /** `inner`: sources of what a row contains, such as the messages of a conversation. They follow their row. */
  readonly rows: readonly {
    readonly at: string;
    readonly items: readonly ExportItem[];
    readonly inner: readonly Source[];
  }[];
  readonly isLast: boolean;
}

export interface Source {
  read(after: string | undefined): Promise<SourceRows>;
  /** The sources within a row, whose position comes from a request. Empty if the row does not exist. */
  inner(at: string): Promise<readonly Source[]>;
}

/** Bytes of the longest sort key. */
const maxKeyBytes = 1024;
const SortKey = v.pipe(v.string(), v.maxBytes(maxKeyBytes));

/** A position in nested sources: the index of the source in its level, and its last exported row. */
const Place = v.pipe(
  v.array(v.strictObject({ n: v.pipe(v.number(), v.safeInteger(), v.minValue(0)), at: v.optional(SortKey) })),
  v.minLength(1),
  v.maxLength(4),
);
type Place = v.InferOutput<typeof Place>;

/** Bounds of a page: characters as JSON, items, and reads. Lambda sends at most 6 MB, and one item has up to 4 MB. */
const max = { characters: 1_000_000, items: 500, reads: 60 } as const;

/**
 * Exports all sources by pages of bounded work, depth first. The cursor names positions, never an account, so it only
 * leads to what the sources of the account contain.
 */
export async function exportPage(sources: readonly Source[], cursor: string | undefined) {
  const levels = await levelsAt(sources, cursor === undefined ? [{ n: 0 }] : placeAt(cursor));
  const items: ExportItem[] = [];
  let characters = 0;
  const isFull = () => characters >= max.characters || items.length >= max.items;
  for (let reads = 0; reads < max.reads && !isFull(); reads++) {
    const level = levels.at(-1);
    if (!level) break;
    const source = level.sources[level.n];
    const { rows, isLast } = source ? await source.read(level.at) : { rows: [], isLast: true };
    let read = 0;
    for (const row of rows) {
      items.push(...row.items);
      characters += JSON.stringify(row.items).length;
      level.at = row.at;
      read += 1;
      if (row.inner.length > 0) levels.push({ sources: row.inner, n: 0, at: undefined });
      if (row.inner.length > 0 || isFull()) break;
    }
    if (levels.at(-1) !== level || read < rows.length || !isLast) continue;
    level.n += 1;
    level.at = undefined;
    if (level.n >= level.sources.length) levels.pop();
  }
  const place = levels.map(({ n, at }) => ({ n, ...(at !== undefined && { at }) }));
  return { items, nextCursor: place.length === 0 ? null : cursorAt(place) };
}

interface Level {
  readonly sources: readonly Source[];
  n: number;
  at: string | undefined;
}

/** A row that was deleted between two pages has no inner sources, which ends its level. */
async function levelsAt(sources: readonly Source[], place: Place): Promise<Level[]> {
  const levels: Level[] = [];
  let current = sources;
  for (const { n, at } of place) {
    if (current.length === 0) break;
    levels.push({ sources: current, n, at });
    current = at === undefined ? [] : ((await current[n]?.inner(at)) ?? []);
  }
  return levels;
}

const cursorAt = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function placeAt(cursor: string): Place {
  const place = v.safeParse(Place, parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (place.success) return place.output;
  throw new ServiceError('INVALID_FORMAT', 'cursor must be the nextCursor of the previous page.');
}
