import { type Column, DataTable } from '../../components/tables/data-table.tsx';
import { DetailsButton } from '../../components/tables/details-button.tsx';
import { formatCredits, formatDuration, formatSecond } from '../../lib/format.ts';
import { keyNameOf, type RequestEntry, StatusBadge, tokensOf, whatFor } from './request.tsx';

interface RequestTableProps {
  readonly requests: readonly RequestEntry[];
  readonly onOpen: (request: RequestEntry) => void;
}

/** Requests, newest first; the time of each opens its details. */
export function RequestTable({ requests, onOpen }: RequestTableProps) {
  const columns: Column<RequestEntry>[] = [
    {
      title: 'Time',
      place: 'lead',
      cell: (request) => <DetailsButton onClick={() => onOpen(request)}>{formatSecond(request.at)}</DetailsButton>,
    },
    { title: 'Status', cell: (request) => <StatusBadge {...request} /> },
    { title: 'Service', place: 'wide', cell: whatFor },
    { title: 'Key', cell: keyNameOf },
    { title: 'Tokens', place: 'end', cell: tokensOf },
    { title: 'Latency', place: 'end', cell: ({ latencyMs }) => formatDuration(latencyMs) },
    { title: 'Credits', place: 'end', cell: ({ credits }) => formatCredits(credits) },
  ];
  return (
    <DataTable caption="Requests, newest first" columns={columns} rows={requests} idOf={({ requestId }) => requestId} />
  );
}
