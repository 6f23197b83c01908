import { channels } from '#contract/messages/channels.ts';
import { messageStatuses } from '#contract/messages/messages.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks/use-query.ts';
import { channelTitles, statusTitle } from './message.tsx';

const all = 'all';

export const choices = {
  channel: [
    { value: all, label: 'All channels' },
    ...channels.map((value) => ({ value, label: channelTitles[value] })),
  ],
  status: [
    { value: all, label: 'All statuses' },
    ...messageStatuses.map((value) => ({ value, label: statusTitle(value) })),
  ],
} as const;

/** What the list is filtered by, which the URL's query has: the values of the fields, and the query of the request. */
export function useFilters() {
  const [, change] = useQuery();
  const [channel, setChannel] = useQueryChoice('channel', [all, ...channels]);
  const [status, setStatus] = useQueryChoice('status', [all, ...messageStatuses]);
  const requested = { ...(channel !== all && { channel }), ...(status !== all && { status }) };
  return {
    values: { channel, status },
    set: { channel: setChannel, status: setStatus },
    requested,
    isFiltered: Object.keys(requested).length > 0,
    clear: () => change({ channel: undefined, status: undefined }),
  };
}
