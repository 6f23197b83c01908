import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { DetailsButton } from '../../components/tables/details-button.tsx';
import { formatSecond } from '../../lib/format.ts';
import { channelTitles, MessageBadge, type MessageRecord } from './message.tsx';
import css from './messages.module.css';

interface MessageTableProps {
  readonly messages: readonly MessageRecord[];
  readonly onOpen: (message: MessageRecord) => void;
}

/** Messages, newest first; the time of each opens its details. */
export function MessageTable({ messages, onOpen }: MessageTableProps) {
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
