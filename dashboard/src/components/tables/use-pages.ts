import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

interface PagesOptions<Page extends { readonly nextCursor: string | null }, Row> {
  /** Names what `read` reads. */
  readonly queryKey: readonly unknown[];
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page>;
  readonly rowsOf: (page: Page) => readonly Row[];
  /** After how many ms the list is read again, by its first page. */
  readonly pollMs?: (first: Page | undefined) => number | false;
  /** Whether rows stay while those of another key are read. */
  readonly keepsPrevious?: boolean;
  /** False while it is not known what to read. */
  readonly isEnabled?: boolean;
}

export type Pages<Row> = ReturnType<typeof usePages<{ readonly nextCursor: string | null }, Row>>;

const firstPage: string | null = null;

/** The rows of a list that is read page by page. */
export function usePages<Page extends { readonly nextCursor: string | null }, Row>({
  queryKey,
  read,
  rowsOf,
  pollMs = () => false,
  keepsPrevious = false,
  isEnabled = true,
}: PagesOptions<Page, Row>) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam ?? undefined, signal),
    enabled: isEnabled,
    initialPageParam: firstPage,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    select: ({ pages }): readonly Row[] => pages.flatMap(rowsOf),
    refetchInterval: ({ state }) => pollMs(state.data?.pages[0]),
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
}
