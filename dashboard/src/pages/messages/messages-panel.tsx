import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { messageStatuses } from '#contract/messages/messages.ts';
import { channels } from '#contract/messages/names.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { call } from '../../api/call.ts';
import { useNow } from '../../api/config.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Copyable, Detail, Details, DetailsButton, DetailsDrawer, useOpened } from '../../components/details.tsx';
import { type Filter, FilterFields, NoMatch, useFilter } from '../../components/filters.tsx';
import { Panel } from '../../components/page.tsx';
import { type Column, DataTable, PagedList, type Pages, RefreshButton, usePages } from '../../components/tables.tsx';
import { formatSecond } from '../../lib/format.ts';
import { channelTitles, countryName, isFinal, meaningOf, type MessageRecord, pollMsOf, statuses } from './message.ts';
import css from './messages.module.css';

interface MessagesPanelProps {
  readonly pages: Pages<MessageRecord>;
  readonly filters: readonly Filter[];
  /** False while the composer shows the same error. */
  readonly isErrorShown: boolean;
  readonly onAgain: ((message: MessageRecord) => void) | undefined;
  /** Shown for an empty list without filters. */
  readonly empty: ReactNode;
}

export function MessagesPanel({ pages, filters, isErrorShown, onAgain, empty }: MessagesPanelProps) {
  const isFiltered = filters.some(({ value }) => value !== undefined);
  const noMatch = <NoMatch icon="messages" title="No messages match these filters" filters={filters} />;
  const { item: opened, isOpen, open, close } = useOpened<MessageRecord>();
  return (
    <Panel title="Messages from the last 30 days" aside={<RefreshButton pages={pages} />}>
      <FilterFields filters={filters} columns="repeat(auto-fill, minmax(min(11rem, 100%), 1fr))" />
      <PagedList pages={pages} isErrorShown={isErrorShown} empty={isFiltered ? noMatch : empty}>
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

const { listMessages } = messageRoutes;
const pageSize = 25;

/** Reads the filtered messages, and polls while one is pending. */
export function useMessages(requested: ReturnType<typeof useFilters>['requested']) {
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

const channelChoices = channels.map((value) => ({ value, label: channelTitles[value] }));
const statusChoices = messageStatuses.map((value) => ({ value, label: statuses[value][0] }));

/** The filters of the list, and the query of the request. */
export function useFilters() {
  const channel = useFilter('channel', 'Channel', 'All channels', channelChoices);
  const status = useFilter('status', 'Status', 'All statuses', statusChoices);
  return { filters: [channel, status], requested: { channel: channel.value, status: status.value } };
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
