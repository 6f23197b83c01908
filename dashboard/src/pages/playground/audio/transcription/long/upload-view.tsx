import { Anchor, Button, Group, Progress, Text } from '@mantine/core';
import { ErrorNotice } from '../../../../../components/feedback/error-notice.tsx';
import { Notice } from '../../../../../components/feedback/notice.tsx';
import { formatBytes } from '../../../../../lib/format.ts';
import type { UploadProblem } from './send-file.ts';
import type { LongStage } from './use-long-transcription.ts';

interface UploadViewProps {
  readonly stage: LongStage;
  /** Bytes of the file. */
  readonly total: number;
  readonly onCancel: () => void;
  readonly onRetry: () => void;
}

const sentences: Readonly<Record<UploadProblem, string>> = {
  broken: 'The upload was interrupted. Nothing was charged.',
  expired: 'The upload took longer than one hour. Nothing was charged.',
  refused:
    'The file was rejected because it has changed since you chose it, or its format is unknown. Choose it again.',
};

/** How much of a file has been uploaded, or why it ended. */
export function UploadView({ stage, total, onCancel, onRetry }: UploadViewProps) {
  if (stage.kind === 'failed') {
    const retry = (
      <Anchor component="button" type="button" onClick={onRetry}>
        Retry
      </Anchor>
    );
    return (
      <Notice tone="error" actions={stage.problem === 'refused' ? undefined : retry}>
        {sentences[stage.problem]}
      </Notice>
    );
  }
  if (stage.kind === 'refused') return <ErrorNotice error={stage.error} model="svc-transcribe" />;
  if (stage.kind === 'idle') return null;
  const sent = stage.kind === 'uploading' ? stage.sent : total;
  const percent = Math.floor((sent / total) * 100);
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="sm" className="number">
          {sent === total
            ? 'Uploaded, starting'
            : `Uploading: ${formatBytes(sent)} of ${formatBytes(total)}, ${percent} %`}
        </Text>
        {stage.kind === 'uploading' && (
          <Button size="compact-sm" variant="default" onClick={onCancel}>
            Cancel upload
          </Button>
        )}
      </Group>
      <Progress value={percent} size={8} aria-label="Upload" />
    </div>
  );
}
