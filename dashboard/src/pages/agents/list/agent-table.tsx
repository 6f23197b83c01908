import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { type Column, DataTable } from '../../../components/tables/data-table.tsx';
import { Name } from '../../../components/tables/name.tsx';
import { formatMoment, formatWhole } from '../../../lib/format.ts';
import { type AgentRecord, agentPath } from '../agent.ts';

const columns: Column<AgentRecord>[] = [
  {
    title: 'Name',
    place: 'lead',
    cell: ({ id, name }) => (
      <Anchor component={Link} href={agentPath(id)} inherit display="block">
        <Name>{name}</Name>
      </Anchor>
    ),
  },
  { title: 'Model', cell: ({ model }) => <span className="mono">{model}</span> },
  { title: 'Version', place: 'end', cell: ({ version }) => version },
  { title: 'Passages', place: 'end', cell: ({ chunks }) => formatWhole(chunks) },
  { title: 'Last change', place: 'wide', cell: ({ updatedAt }) => formatMoment(updatedAt) },
];

/** Agents, newest first; the name of each opens it. */
export function AgentTable({ agents }: { agents: readonly AgentRecord[] }) {
  return <DataTable caption="Agents, newest first" columns={columns} rows={agents} idOf={({ id }) => id} />;
}
