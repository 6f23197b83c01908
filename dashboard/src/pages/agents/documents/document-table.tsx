import { ActionIcon, Badge, Progress, Text } from '@mantine/core';
import { documentRoutes } from '#contract/routes/agents/documents.ts';
import { perform } from '../../../api/call.ts';
import { toApiError } from '../../../api/http/api-error.ts';
import { useAction } from '../../../api/use-data.ts';
import { Icon } from '../../../components/elements/icon.tsx';
import { Tip } from '../../../components/elements/tip.tsx';
import { notify } from '../../../components/feedback/notifications.tsx';
import { confirm } from '../../../components/overlays/confirm.tsx';
import { type Column, DataTable } from '../../../components/tables/data-table.tsx';
import { Name } from '../../../components/tables/name.tsx';
import { formatBytes, formatCredits, formatMoment, formatWhole } from '../../../lib/format.ts';
import { rescueFocus } from '../../../lib/rescue-focus.ts';
import { type AgentRecord, agentReads, type DocumentRecord } from '../agent.ts';

interface DocumentTableProps {
  readonly agent: AgentRecord;
  readonly documents: readonly DocumentRecord[];
}

/** Documents, newest first, with how far they are. */
export function DocumentTable({ agent, documents }: DocumentTableProps) {
  const columns: Column<DocumentRecord>[] = [
    { title: 'Name', place: 'lead', cell: ({ name }) => <Name>{name}</Name> },
    { title: 'Status', cell: (document) => <DocumentStatus document={document} /> },
    { title: 'Passages', place: 'end', cell: ({ chunks }) => formatWhole(chunks) },
    { title: 'Size', place: 'end', cell: ({ bytes }) => formatBytes(bytes) },
    {
      title: 'Credits',
      place: 'end',
      cell: ({ status, credits }) => (status === 'indexing' ? '–' : formatCredits(credits)),
    },
    { title: 'Added', place: 'wide', cell: ({ createdAt }) => formatMoment(createdAt) },
    { title: 'Actions', place: 'corner', cell: (document) => <DeleteDocument agent={agent} document={document} /> },
  ];
  return <DataTable caption="Documents, newest first" columns={columns} rows={documents} idOf={({ id }) => id} />;
}

function DocumentStatus({ document: { name, status, chunks, indexedChunks } }: { document: DocumentRecord }) {
  if (status === 'ready') return <Badge color="pine">Ready</Badge>;
  if (status === 'failed') return <Badge color="red">Failed. Add it again.</Badge>;
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4} className="number">
        Indexing: {formatWhole(indexedChunks)} of {formatWhole(chunks)}
      </Text>
      <Progress value={(indexedChunks / Math.max(1, chunks)) * 100} size={4} aria-label={`Indexing ${name}`} />
    </div>
  );
}

function DeleteDocument({ agent, document: { id, name } }: { agent: AgentRecord; document: DocumentRecord }) {
  const deletion = useAction(async () => {
    try {
      await perform(documentRoutes.deleteDocument, { path: { id: agent.id, documentId: id } });
      notify({ message: `“${name}” is deleted.` });
    } catch (error) {
      notify({ message: toApiError(error).message, color: 'red' });
    }
    rescueFocus();
  }, [documentRoutes.listDocuments, ...agentReads]);
  return (
    <Tip label="Delete">
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Delete ${name}`}
        loading={deletion.isRunning}
        onClick={() =>
          confirm({
            title: `Delete “${name}”?`,
            text: 'Its passages are no longer sent to the model. This cannot be undone.',
            action: 'Delete document',
            onConfirm: () => void deletion.run(undefined),
          })
        }
      >
        <Icon name="trash" />
      </ActionIcon>
    </Tip>
  );
}
