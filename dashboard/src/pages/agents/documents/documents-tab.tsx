import { Stack } from '@mantine/core';
import { useIsMutating, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { documentRoutes } from '#contract/routes/agents/documents.ts';
import { call } from '../../../api/call.ts';
import { spendingReads } from '../../../api/reads.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { PagedList } from '../../../components/tables/paged-list.tsx';
import { usePages } from '../../../components/tables/use-pages.ts';
import { type AgentRecord, agentReads } from '../agent.ts';
import { ChunkMeter } from './chunk-meter.tsx';
import { DocumentTable } from './document-table.tsx';
import { NewDocument } from './new-document.tsx';

const pageSize = 25;
/** How often a list with documents that are being indexed is read again, in ms. */
const indexingPollMs = 1000;

/** What an agent knows from documents, and a new one for it. */
export function DocumentsTab({ agent }: { agent: AgentRecord }) {
  const path = { id: agent.id };
  const isAdding = useIsMutating() > 0;
  const pages = usePages({
    queryKey: [documentRoutes.listDocuments.id, agent.id],
    read: (cursor, signal) =>
      call(documentRoutes.listDocuments, { path, query: { limit: String(pageSize), cursor } }, { signal }),
    rowsOf: ({ items }) => items,
    pollMs: (first) =>
      (isAdding || first?.items.some(({ status }) => status === 'indexing')) === true && indexingPollMs,
  });
  const client = useQueryClient();
  const indexing = pages.data?.filter(({ status }) => status === 'indexing').length;
  // When indexing ends, the agent's passages and the account's credits have changed.
  useEffect(() => {
    if (indexing === undefined) return;
    for (const { id } of [...agentReads, ...spendingReads]) void client.invalidateQueries({ queryKey: [id] });
  }, [client, indexing]);
  return (
    <Stack gap="lg">
      <Panel title="Add a document">
        <NewDocument agent={agent} />
      </Panel>
      <Panel title="Documents">
        <Stack gap="md">
          <ChunkMeter chunks={agent.chunks} />
          <PagedList
            pages={pages}
            empty={
              <Empty icon="docs" title="No documents yet">
                Passages that match a message are sent to the model with it.
              </Empty>
            }
          >
            {(documents) => <DocumentTable agent={agent} documents={documents} />}
          </PagedList>
        </Stack>
      </Panel>
    </Stack>
  );
}
