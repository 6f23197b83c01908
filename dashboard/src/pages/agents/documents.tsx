import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Group, Badge, Button, FileButton, Progress, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useIsMutating, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo } from 'react';
import { NewDocument as Body } from '#contract/agents/documents.ts';
import { callCost, microPerCredit } from '#contract/billing/prices.ts';
import { catalogClock, documentModel, priceAt } from '#contract/inference/models.ts';
import { documentRoutes } from '#contract/routes/documents.ts';
import { limits } from '#contract/shared/limits.ts';
import { call, perform } from '../../api/call.ts';
import { useApiForm } from '../../api/form.ts';
import { spendingReads } from '../../api/reads.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { notify } from '../../components/notifications.tsx';
import { Empty, Panel } from '../../components/page.tsx';
import { type Column, DataTable, Name, PagedList, useRoutePages } from '../../components/tables.tsx';
import { useFileDrop } from '../../lib/file-drop.ts';
import {
  creditCount,
  formatAbout,
  formatBytes,
  formatCredits,
  formatItems,
  formatMoment,
  formatWhole,
} from '../../lib/format.ts';
import { inCredits, rateLines, serviceLine } from '../../lib/model-prices.ts';
import { estimateTokens } from '../playground/tab/estimate-tokens.ts';
import { agentReads, type AgentRecord, type DocumentRecord } from './agent.ts';
import { bytesOf, readTextFile, textFileTypes } from './text-file.ts';

/** Interval for reloading the list while a document is being indexed, in ms. */
const indexingPollMs = 1000;

export function DocumentsTab({ agent }: { agent: AgentRecord }) {
  const path = { id: agent.id };
  const isAdding = useIsMutating() > 0;
  const pages = useRoutePages({
    route: documentRoutes.listDocuments,
    input: (query) => ({ path, query }),
    rowsOf: ({ items }) => items,
    pollMs: (first) =>
      (isAdding || first?.items.some(({ status }) => status === 'indexing')) === true && indexingPollMs,
  });
  const client = useQueryClient();
  const indexing = pages.data?.filter(({ status }) => status === 'indexing').length;
  // Indexing changes the agent's passage count and the account's credits.
  useEffect(() => {
    if (indexing === undefined) return;
    for (const { id } of [...agentReads, ...spendingReads]) void client.invalidateQueries({ queryKey: [id] });
  }, [client, indexing]);
  return (
    <Stack gap="lg">
      <Panel title={t`Add a document`}>
        <NewDocument agent={agent} />
      </Panel>
      <Panel title={t`Documents`}>
        <Stack gap="md">
          <ChunkMeter chunks={agent.chunks} />
          <PagedList
            pages={pages}
            empty={
              <Empty icon="docs" title={t`No documents yet`}>
                <Trans>Passages that match a message are sent to the model with it.</Trans>
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

function ChunkMeter({ chunks }: { chunks: number }) {
  const share = (chunks / limits.agentChunks) * 100;
  return (
    <div>
      <Progress
        value={chunks === 0 ? 0 : Math.max(1, share)}
        size={6}
        color={share > 90 ? 'yellow.7' : 'pine'}
        aria-label={t`Passages used`}
      />
      <Text size="xs" c="dimmed" mt={4} className="number">
        <Trans>
          {{ used: formatWhole(chunks) }} of {{ limit: formatWhole(limits.agentChunks) }} passages used
        </Trans>
      </Text>
    </div>
  );
}

interface DocumentTableProps {
  readonly agent: AgentRecord;
  readonly documents: readonly DocumentRecord[];
}

function DocumentTable({ agent, documents }: DocumentTableProps) {
  const columns: Column<DocumentRecord>[] = [
    { title: t`Name`, place: 'lead', cell: ({ name }) => <Name>{name}</Name> },
    { title: t`Status`, cell: (document) => <DocumentStatus document={document} /> },
    { title: t`Passages`, place: 'end', cell: ({ chunks }) => formatWhole(chunks) },
    { title: t`Size`, place: 'end', cell: ({ bytes }) => formatBytes(bytes) },
    {
      title: t`Credits`,
      place: 'end',
      cell: ({ status, credits }) => (status === 'indexing' ? '–' : formatCredits(credits)),
    },
    { title: t`Added`, place: 'wide', cell: ({ createdAt }) => formatMoment(createdAt) },
    { title: t`Actions`, place: 'corner', cell: (document) => <DeleteDocument agent={agent} document={document} /> },
  ];
  return <DataTable caption={t`Documents, newest first`} columns={columns} rows={documents} idOf={({ id }) => id} />;
}

function DocumentStatus({ document: { name, status, chunks, indexedChunks } }: { document: DocumentRecord }) {
  if (status === 'ready') return <Badge color="pine">{t`Ready`}</Badge>;
  if (status === 'failed') return <Badge color="red">{t`Failed. Add it again.`}</Badge>;
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4} className="number">
        <Trans>
          Indexing: {{ done: formatWhole(indexedChunks) }} of {{ all: formatWhole(chunks) }}
        </Trans>
      </Text>
      <Progress value={(indexedChunks / Math.max(1, chunks)) * 100} size={4} aria-label={t`Indexing ${name}`} />
    </div>
  );
}

function DeleteDocument({ agent, document: { id, name } }: { agent: AgentRecord; document: DocumentRecord }) {
  return (
    <DeleteButton
      label={t`Delete ${name}`}
      question={{
        title: t`Delete “${name}”?`,
        text: t`Its passages are no longer sent to the model. This cannot be undone.`,
        action: t`Delete document`,
      }}
      onDelete={async () => {
        await perform(documentRoutes.deleteDocument, { path: { id: agent.id, documentId: id } });
        notify({ message: t`“${name}” is deleted.` });
      }}
      invalidates={[documentRoutes.listDocuments, ...agentReads]}
    />
  );
}

const dropTarget = { outline: '2px dashed var(--accent)', outlineOffset: '0.5rem', borderRadius: '0.5rem' };

function NewDocument({ agent }: { agent: AgentRecord }) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '', text: '' },
    schema: Body,
    labels: { name: t`Name`, text: t`Text` },
    act: (body) => call(documentRoutes.createDocument, { path: { id: agent.id }, body }),
    onDone: ({ name, chunks }) => {
      form.reset();
      notify({
        message: plural(chunks, {
          one: `“${name}” was added. Indexing # passage.`,
          other: `“${name}” was added. Indexing # passages.`,
        }),
      });
    },
    invalidates: [documentRoutes.listDocuments, ...agentReads, ...spendingReads],
  });
  const { text, name } = form.values;

  async function take(file: File | null | undefined): Promise<void> {
    if (!file) return;
    const read = await readTextFile(file);
    if ('error' in read) form.setErrors({ text: read.error });
    else form.setValues(name === '' ? read : { text: read.text });
  }

  const drop = useFileDrop(([file]) => void take(file));

  return (
    <form onSubmit={submit} noValidate style={drop['data-over'] ? dropTarget : undefined} {...drop}>
      <Stack gap="md">
        <TextInput label={t`Name`} description={t`Shown as the source in replies`} {...form.getInputProps('name')} />
        <div>
          <Textarea
            label={t`Text`}
            description={t`Paste text, or drop a .txt or .md file here, up to ${{ size: formatBytes(limits.documentBytes) }}`}
            rows={8}
            {...form.getInputProps('text')}
          />
          <Size text={text} />
        </div>
        {error && <ErrorNotice error={error} model={documentModel()?.id ?? ''} onRetry={() => submit()} />}
        <Group gap="0.5rem 0.75rem">
          <Button type="submit" loading={isRunning}>
            <Trans>Add document</Trans>
          </Button>
          <FileButton accept={textFileTypes} onChange={(file) => void take(file)}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<Icon name="docs" size={16} />} disabled={isRunning}>
                <Trans>Choose file</Trans>
              </Button>
            )}
          </FileButton>
          <Text size="sm" c="dimmed" role="status">
            {priceNote()}
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

function priceNote(): string {
  const embedder = documentModel();
  const price = embedder && priceAt(embedder);
  return t`Indexing costs ${{ rates: price ? formatItems(rateLines(inCredits(price))) : serviceLine('embeddings') }}.`;
}

function indexingCredits(tokens: number): number {
  const embedder = documentModel();
  return embedder
    ? callCost(embedder, 'embeddings', { input: tokens, output: 0 }, catalogClock.now()) / microPerCredit
    : 0;
}

/** The lowest cost that is shown, in credits. */
const leastCost = 0.01;

/** The cost of a longer text is extrapolated from its beginning. */
const sampleCharacters = 20_000;

function Size({ text }: { text: string }) {
  const shown = useDeferredValue(text);
  const { bytes, cost } = useMemo(() => {
    const sample = shown.slice(0, sampleCharacters);
    const tokens = (estimateTokens(sample) * shown.length) / Math.max(1, sample.length);
    return { bytes: bytesOf(shown), cost: indexingCredits(Math.ceil(tokens)) };
  }, [shown]);
  const isTooLong = bytes > limits.documentBytes;
  const [size, limit] = [formatBytes(bytes), formatBytes(limits.documentBytes)];
  return (
    <Text size="xs" c={isTooLong ? 'var(--mantine-color-error)' : 'dimmed'} mt={4} className="number">
      {bytes === 0
        ? t`${size} of ${limit}`
        : cost < leastCost
          ? t`${size} of ${limit}, less than ${{ credits: creditCount(leastCost, formatAbout) }}`
          : t`${size} of ${limit}, about ${{ credits: creditCount(cost, formatAbout) }}`}
    </Text>
  );
}
