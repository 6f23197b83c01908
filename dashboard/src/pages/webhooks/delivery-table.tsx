import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { DetailsButton } from '../../components/tables/details-button.tsx';
import { formatDuration, formatSecond } from '../../lib/format.ts';
import { DeliveryBadge, type DeliveryRecord, EventName, resultOf } from './webhook.tsx';

interface DeliveryTableProps {
  readonly deliveries: readonly DeliveryRecord[];
  readonly onOpen: (delivery: DeliveryRecord) => void;
}

/** Deliveries, newest first; the time of each opens its details. */
export function DeliveryTable({ deliveries, onOpen }: DeliveryTableProps) {
  const columns: Column<DeliveryRecord>[] = [
    {
      title: 'Time',
      place: 'lead',
      cell: (delivery) => (
        <DetailsButton onClick={() => onOpen(delivery)}>{formatSecond(delivery.createdAt)}</DetailsButton>
      ),
    },
    { title: 'Event', place: 'wide', cell: ({ type }) => <EventName type={type} /> },
    { title: 'Status', cell: ({ status }) => <DeliveryBadge status={status} /> },
    { title: 'Response', cell: resultOf },
    { title: 'Attempts', place: 'end', cell: ({ attempts }) => attempts },
    {
      title: 'Duration',
      place: 'end',
      cell: ({ durationMs }) => (durationMs === null ? '–' : formatDuration(durationMs)),
    },
  ];
  return <DataTable caption="Deliveries, newest first" columns={columns} rows={deliveries} idOf={({ id }) => id} />;
}
