import { Badge, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { messageStatuses } from '#contract/messages/messages.ts';
import { channels } from '#contract/messages/names.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { call } from '../../api/call.ts';
import { useNow } from '../../api/clock.ts';
import { CopyButton } from '../../components/elements/copy-button.tsx';
import { Copyable, Detail, Details } from '../../components/elements/details.tsx';
import { Empty } from '../../components/feedback/empty.tsx';
import { Panel } from '../../components/layout/panel.tsx';
import { DetailsDrawer, useOpened } from '../../components/overlays/details-drawer.tsx';
import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { DetailsButton } from '../../components/tables/details-button.tsx';
import { PagedList, RefreshButton } from '../../components/tables/paged-list.tsx';
import { type Pages, usePages } from '../../components/tables/use-pages.ts';
import { formatSecond } from '../../lib/format.ts';
import { useQuery, useQueryChoice } from '../../lib/hooks/use-query.ts';
import { channelTitles, countryName, isFinal, meaningOf, type MessageRecord, pollMsOf, statuses } from './message.ts';
import css from './messages.module.css';

interface MessagesPanelProps {
  readonly pages: Pages<MessageRecord>;
  readonly filters: ReturnType<typeof useFilters>;
  /** False while the composer shows the same error. */
  readonly isErrorShown: boolean;
  readonly onAgain: ((message: MessageRecord) => void) | undefined;
  /** Shown if there are no messages and no filters. */
  readonly empty: ReactNode;
}

export function MessagesPanel({ pages, filters, isErrorShown, onAgain, empty }: MessagesPanelProps) {
  const { values, set } = filters;
  const { item: opened, isOpen, open, close } = useOpened<MessageRecord>();
  return (
    <Panel title="Messages from the last 30 days" aside={<RefreshButton pages={pages} />}>
      <div className={css.filters}>
        <NativeSelect
          label="Channel"
          data={choices.channel}
          value={values.channel}
          onChange={(event) => set.channel(event.currentTarget.value)}
        />
        <NativeSelect
          label="Status"
          data={choices.status}
          value={values.status}
          onChange={(event) => set.status(event.currentTarget.value)}
        />
      </div>
      <PagedList
        pages={pages}
        isErrorShown={isErrorShown}
        empty={filters.isFiltered ? <NoMatch {...filters} /> : empty}
      >
        {(messages) => <MessageTable messages={messages} onOpen={open} />}
      </PagedList>
      <DetailsDrawer
        title={opened?.channel === 'voice_call' ? 'Voice call' : 'SMS'}
        size={460}
        // The open message may no longer match the status filter.
        item={pages.data?.find(({ id }) => id === opened?.id) ?? opened}
        isOpen={isOpen}
        onClose={close}
      >
        {(message) => (
          <MessageDetails
            message={message}
            onAgain={
              onAgain &&
              ((like) => {
                close();
                onAgain(like);
              })
            }
          />
        )}
      </DetailsDrawer>
    </Panel>
  );
}

function NoMatch({ clear }: Pick<ReturnType<typeof useFilters>, 'clear'>) {
  return (
    <Empty
      icon="messages"
      title="No messages match these filters"
      action={
        <Button variant="default" onClick={clear}>
          Clear filters
        </Button>
      }
    />
  );
}

const { listMessages } = messageRoutes;
const pageSize = 25;

/** Reads the filtered messages, and polls while one is pending. */
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

const all = 'all';

const choices = {
  channel: [
    { value: all, label: 'All channels' },
    ...channels.map((value) => ({ value, label: channelTitles[value] })),
  ],
  status: [
    { value: all, label: 'All statuses' },
    ...messageStatuses.map((value) => ({ value, label: statuses[value][0] })),
  ],
} as const;

/** Filters in the URL's query: values of the fields, setters, and the query of the request. */
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

interface MessageTableProps {
  readonly messages: readonly MessageRecord[];
  readonly onOpen: (message: MessageRecord) => void;
}

function MessageTable({ messages, onOpen }: MessageTableProps) {
  const columns: Column<MessageRecord>[] = [
    {
      title: 'Time',
      place: 'lead',
      cell: (message) => (
        <DetailsButton onClick={() => onOpen(message)}>{formatSecond(message.createdAt)}</DetailsButton>
      ),
    },
    { title: 'Status', cell: MessageBadge },
    { title: 'Recipient', place: 'wide', cell: ({ to }) => <bdi className="number">{to}</bdi> },
    { title: 'Channel', cell: ({ channel }) => channelTitles[channel] },
    {
      title: 'Text',
      place: 'wide',
      cell: ({ text }) => (
        <bdi dir="auto" className={css.cut}>
          {text}
        </bdi>
      ),
    },
    { title: 'Credits', place: 'end', cell: ({ credits }) => credits },
  ];
  return <DataTable caption="Messages, newest first" columns={columns} rows={messages} idOf={({ id }) => id} />;
}

interface MessageDetailsProps {
  readonly message: MessageRecord;
  /** Puts a copy into the composer. Undefined if the plan has no messages. */
  readonly onAgain: ((message: MessageRecord) => void) | undefined;
}

function MessageDetails({ message, onAgain }: MessageDetailsProps) {
  const { id, channel, to, text, status, failure, country, segments, encoding, voice, reference, credits } = message;
  return (
    <Stack gap="md">
      <div role="status">
        <MessageBadge status={status} />
        <Text size="sm" mt={6}>
          {meaningOf(message)}
        </Text>
      </div>
      <p className={css.text} dir="auto">
        {text}
      </p>
      {onAgain && !isFinal(failure) && (
        <Group>
          <Button variant="default" onClick={() => onAgain(message)}>
            {channel === 'voice_call' ? 'Call again' : 'Send again'}
          </Button>
        </Group>
      )}
      <Details>
        <Detail title="Message ID">
          <Copyable value={id} what="message ID" />
        </Detail>
        <Detail title="Recipient">
          <Group gap={4} wrap="nowrap">
            <bdi>{to}</bdi>
            <CopyButton value={to} what="recipient" />
          </Group>
        </Detail>
        <Detail title="Country">{countryName(country)}</Detail>
        <Detail title="Channel">{channelTitles[channel]}</Detail>
        {voice !== null && <Detail title="Voice">{voice}</Detail>}
        {segments !== null && <Detail title="Segments">{segments}</Detail>}
        {encoding !== null && <Detail title="Encoding">{encoding}</Detail>}
        <Detail title="Reference">{reference === null ? '–' : <bdi>{reference}</bdi>}</Detail>
        <Detail title="Credits charged">{credits}</Detail>
        <Detail title="Created">{formatSecond(message.createdAt)}</Detail>
        <Detail title="Updated">{formatSecond(message.updatedAt)}</Detail>
      </Details>
    </Stack>
  );
}

export function MessageBadge({ status }: Pick<MessageRecord, 'status'>) {
  const [title, color] = statuses[status];
  return <Badge color={color}>{title}</Badge>;
}
