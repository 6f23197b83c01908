import { Button, FileButton, Group, Skeleton, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Icon } from '../../../../../components/elements/icon.tsx';
import { ErrorNotice } from '../../../../../components/feedback/error-notice.tsx';
import { formatMoment } from '../../../../../lib/format.ts';
import { audioTypes } from '../audio-types.ts';
import { TranscriptSection } from '../transcript/transcript-section.tsx';
import { JobView } from './job-view.tsx';
import { type Result, transcriptionOf } from './use-job.ts';

interface OpenedJobProps {
  readonly job: UseQueryResult<Result>;
  readonly name: string | undefined;
  /** Audio to hear with the text: the service has deleted its own. */
  readonly onAudio: (file: File) => void;
}

/** A transcription of another time, whose audio is not here. */
export function OpenedJob({ job: { data: job, error, refetch }, name, onAudio }: OpenedJobProps) {
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!job) return <Skeleton height={120} radius="md" />;
  const transcription = transcriptionOf(job);
  return (
    <>
      <Text size="sm" mb="xs" style={{ overflowWrap: 'anywhere' }}>
        <b>{name ?? 'Transcription'}</b>, {formatMoment(job.createdAt)}
      </Text>
      <JobView job={job} />
      {transcription && (
        <>
          <Group gap="xs" my="sm">
            <FileButton accept={audioTypes} onChange={(file) => file && onAudio(file)}>
              {(props) => (
                <Button {...props} size="compact-sm" variant="default" leftSection={<Icon name="play" size={16} />}>
                  Choose the audio file
                </Button>
              )}
            </FileButton>
            <Text size="xs" c="dimmed">
              Play it with the transcript. The server no longer has a copy.
            </Text>
          </Group>
          <TranscriptSection transcription={transcription} fileName={name ?? job.id} />
        </>
      )}
    </>
  );
}
