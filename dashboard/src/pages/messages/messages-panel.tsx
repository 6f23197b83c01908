import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { messageStatuses } from '#contract/messages/messages.ts';
import { channels } from '#contract/messages/names.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { useNow } from '../../api/config.ts';
import { CopyButton } from '../../components/copy.tsx';
import { Copyable, Detail, Details, DetailsButton, DetailsDrawer, useOpened } from '../../components/details.tsx';
import { type Filter, FilterFields, NoMatch, useFilter } from '../../components/filters.tsx';
import { Panel } from '../../components/page.tsx';
import {
  type Column,
  DataTable,
  PagedList,
  type Pages,
  RefreshButton,
  useRoutePages,
} from '../../components/tables.tsx';
import { formatSecond } from '../../lib/format.ts';
import { channelTitle, countryName, isFinal, meaningOf, type MessageRecord, pollMsOf, statusLabel } from './message.ts';
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
  const noMatch = <NoMatch icon="messages" title={t`No messages match these filters`} filters={filters} />;
  const { item: opened, isOpen, open, close } = useOpened<MessageRecord>();
  return (
    <Panel title={t`Messages from the last 30 days`} aside={<RefreshButton pages={pages} />}>
      <FilterFields filters={filters} columns="repeat(auto-fill, minmax(min(11rem, 100%), 1fr))" />
      <PagedList pages={pages} isErrorShown={isErrorShown} empty={isFiltered ? noMatch : empty}>
        {(messages) => <MessageTable messages={messages} onOpen={open} />}
      </PagedList>
      <DetailsDrawer
        title={channelTitle(opened?.channel ?? 'sms')}
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

/** Reads the filtered messages, and polls while one is pending. */
export function useMessages(requested: ReturnType<typeof useFilters>['requested']) {
  const now = useNow();
  return useRoutePages({
    route: listMessages,
    input: (page) => ({ query: { ...requested, ...page } }),
    rowsOf: ({ items }) => items,
    pollMs: (first) => pollMsOf(first?.items ?? [], now),
    keepsPrevious: true,
  });
}

/** The filters of the list, and the query of the request. */
export function useFilters() {
  const channelChoices = channels.map((value) => ({ value, label: channelTitle(value) }));
  const statusChoices = messageStatuses.map((value) => ({ value, label: statusLabel(value).title }));
  const channel = useFilter('channel', t`Channel`, t`All channels`, channelChoices);
  const status = useFilter('status', t`Status`, t`All statuses`, statusChoices);
  return { filters: [channel, status], requested: { channel: channel.value, status: status.value } };
}

interface MessageTableProps {
  readonly messages: readonly MessageRecord[];
  readonly onOpen: (message: MessageRecord) => void;
}

function MessageTable({ messages, onOpen }: MessageTableProps) {
  const columns: Column<MessageRecord>[] = [
    {
      title: t`Time`,
      place: 'lead',
      cell: (message) => (
        <DetailsButton onClick={() => onOpen(message)}>{formatSecond(message.createdAt)}</DetailsButton>
      ),
    },
    { title: t`Status`, cell: MessageBadge },
    { title: t`Recipient`, place: 'wide', cell: ({ to }) => <bdi className="number">{to}</bdi> },
    { title: t`Channel`, cell: ({ channel }) => channelTitle(channel) },
    {
      title: t({ message: 'Text', context: 'message' }),
      place: 'wide',
      cell: ({ text }) => (
        <bdi dir="auto" className={css.cut}>
          {text}
        </bdi>
      ),
    },
    { title: t`Credits`, place: 'end', cell: ({ credits }) => credits },
  ];
  return <DataTable caption={t`Messages, newest first`} columns={columns} rows={messages} idOf={({ id }) => id} />;
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
            {channel === 'voice_call' ? <Trans>Call again</Trans> : <Trans>Send again</Trans>}
          </Button>
        </Group>
      )}
      <Details>
        <Detail title={t`Message ID`}>
          <Copyable value={id} what={t`message ID`} />
        </Detail>
        <Detail title={t`Recipient`}>
          <Group gap={4} wrap="nowrap">
            <bdi>{to}</bdi>
            <CopyButton value={to} what={t`recipient`} />
          </Group>
        </Detail>
        <Detail title={t`Country`}>{countryName(country)}</Detail>
        <Detail title={t`Channel`}>{channelTitle(channel)}</Detail>
        {voice !== null && <Detail title={t`Voice`}>{voice}</Detail>}
        {segments !== null && <Detail title={t`Segments`}>{segments}</Detail>}
        {encoding !== null && <Detail title={t`Encoding`}>{encoding}</Detail>}
        <Detail title={t`Reference`}>{reference === null ? '–' : <bdi>{reference}</bdi>}</Detail>
        <Detail title={t`Credits charged`}>{credits}</Detail>
        <Detail title={t`Created`}>{formatSecond(message.createdAt)}</Detail>
        <Detail title={t`Updated`}>{formatSecond(message.updatedAt)}</Detail>
      </Details>
    </Stack>
  );
}

export function MessageBadge({ status }: Pick<MessageRecord, 'status'>) {
  const { title, color } = statusLabel(status);
  return <Badge color={color}>{title}</Badge>;
}
