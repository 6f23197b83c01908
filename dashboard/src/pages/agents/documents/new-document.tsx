import { Button, FileButton, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDeferredValue, useMemo } from 'react';
import { NewDocument as Body } from '#contract/agents/documents.ts';
import { prices } from '#contract/billing/prices.ts';
import { documentRoutes } from '#contract/routes/agents/documents.ts';
import { limits } from '#contract/shared/limits.ts';
import { call } from '../../../api/call.ts';
import { useApiForm } from '../../../api/forms/use-api-form.ts';
import { spendingReads } from '../../../api/reads.ts';
import { Icon } from '../../../components/elements/icon.tsx';
import { ErrorNotice } from '../../../components/feedback/error-notice.tsx';
import { notify } from '../../../components/feedback/notifications.tsx';
import { count, creditCount, formatAbout, formatBytes, formatWhole } from '../../../lib/format.ts';
import { useFileDrop } from '../../../lib/hooks/use-file-drop.ts';
import { estimateTokens } from '../../playground/tab/estimate-tokens.ts';
import { type AgentRecord, agentReads } from '../agent.ts';
import css from './documents.module.css';
import { bytesOf, readTextFile, textFileTypes } from './text-file.ts';

/** A text that is pasted, or a file that is chosen or dropped. */
export function NewDocument({ agent }: { agent: AgentRecord }) {
  const { form, submit, isRunning, error } = useApiForm({
    initial: { name: '', text: '' },
    schema: Body,
    labels: { name: 'Name', text: 'Text' },
    act: (body) => call(documentRoutes.createDocument, { path: { id: agent.id }, body }),
    onDone: ({ name, chunks }) => {
      form.reset();
      notify({ message: `“${name}” was added. Indexing ${count(chunks, 'passage')}.` });
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
    <form onSubmit={submit} noValidate className={css.form} {...drop}>
      <Stack gap="md">
        <TextInput label="Name" description="Shown as the source in replies" {...form.getInputProps('name')} />
        <div>
          <Textarea
            label="Text"
            description={`Paste text, or drop a .txt or .md file here, up to ${formatBytes(limits.documentBytes)}`}
            rows={8}
            {...form.getInputProps('text')}
          />
          <Size text={text} />
        </div>
        {error && <ErrorNotice error={error} model="svc-embed" onRetry={() => submit()} />}
        <div className={css.foot}>
          <Button type="submit" loading={isRunning}>
            Add document
          </Button>
          <FileButton accept={textFileTypes} onChange={(file) => void take(file)}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<Icon name="docs" size={16} />} disabled={isRunning}>
                Choose file
              </Button>
            )}
          </FileButton>
          <Text size="sm" c="dimmed" role="status">
            {priceNote}
          </Text>
        </div>
      </Stack>
    </form>
  );
}

const { credits, unitSize } = prices.embeddings;
const priceNote = `Indexing costs ${creditCount(credits)} per ${formatWhole(unitSize)} tokens.`;

/** Of a long text the beginning is estimated. */
const sampleCharacters = 20_000;

/** Bytes, and about how many credits it will cost. */
function Size({ text }: { text: string }) {
  const shown = useDeferredValue(text);
  const { bytes, cost } = useMemo(() => {
    const sample = shown.slice(0, sampleCharacters);
    const tokens = (estimateTokens(sample) * shown.length) / Math.max(1, sample.length);
    return { bytes: bytesOf(shown), cost: (tokens * credits) / unitSize };
  }, [shown]);
  const isTooLong = bytes > limits.documentBytes;
  return (
    <Text size="xs" c={isTooLong ? 'var(--mantine-color-error)' : 'dimmed'} mt={4} className="number">
      {formatBytes(bytes)} of {formatBytes(limits.documentBytes)}
      {bytes > 0 && (cost < 0.01 ? ', less than 0.01 credits' : `, about ${creditCount(cost, formatAbout)}`)}
    </Text>
  );
}
