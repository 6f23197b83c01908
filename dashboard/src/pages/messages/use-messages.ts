import { messageRoutes } from '#contract/routes/messages.ts';
import { call } from '../../api/call.ts';
import { useNow } from '../../api/clock.ts';
import { usePages } from '../../components/tables/use-pages.ts';
import { pollMsOf } from './polling.ts';
import type { useFilters } from './use-filters.ts';

const { listMessages } = messageRoutes;
const pageSize = 25;

/** The messages that match the filters, read again while one is on its way. */
export function useMessages({ requested }: Pick<ReturnType<typeof useFilters>, 'requested'>) {
  const now = useNow();
  return usePages({
    queryKey: [listMessages.id, requested],
    read: (cursor, signal) =>
      call(listMessages, { query: { ...requested, limit: String(pageSize), cursor } }, { signal }),
    rowsOf: ({ items }) => items,
    pollMs: (first) => pollMsOf(first?.items ?? [], now),
    keepsPrevious: true,
  });
}
