import { i18n } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Button, FileButton, Group, Skeleton, Text } from '@mantine/core';
import { useForceUpdate, useInterval } from '@mantine/hooks';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import * as v from 'valibot';
import type { Transcription, TranscriptionResult } from '#contract/audio/transcription.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { keep, kept, type Owner } from '../../../api/account-storage.ts';

import { documentOwner } from '../../../api/account.ts';
import { call, perform } from '../../../api/call.ts';
import { useNow } from '../../../api/config.ts';
import { spendingReads } from '../../../api/reads.ts';
import { DeleteButton } from '../../../components/delete-button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { notify } from '../../../components/notifications.tsx';
import { Panel } from '../../../components/page.tsx';
import { type Column, DataTable, PagedList, useRoutePages } from '../../../components/tables.tsx';
import { creditCount, formatCredits, formatMoment } from '../../../lib/format.ts';
import { languageTitle } from '../tab/language-select.tsx';
import { formatClock, formatLength } from './display.ts';
import type { Job } from './long-transcription.ts';
import { TranscriptSection } from './transcript.tsx';
import { audioTypes, isOpen, pollMs } from './transcription-rules.ts';

/** Interval between reads of a list with unfinished transcriptions, in milliseconds. */
const openPollMs = 5000;

interface JobListProps {
  readonly isShown: boolean;
  /** True during an upload, which opening another transcription would cancel. */
  readonly isDisabled: boolean;
  readonly onOpen: (id: string) => void;
  readonly onDeleted: (id: string) => void;
}

/** The account's transcription jobs, newest first. Renders nothing without jobs. */
export function JobList({ isShown, isDisabled, onOpen, onDeleted }: JobListProps) {
  const pages = useRoutePages({
    route: audioRoutes.listTranscriptionJobs,
    input: (query) => ({ query }),
    pageSize: 10,
    rowsOf: ({ items }) => items,
    pollMs: (first) => isShown && first?.items.some(isOpen) === true && openPollMs,
  });
  const files = jobFiles();
  if (pages.isPending || (pages.data?.length === 0 && !pages.hasNextPage)) return null;
  /** Until the job ends, the length that the browser found in the file. */
  const lengthOf = ({ id, durationSeconds }: Job): string | undefined => {
    const seconds = durationSeconds ?? files.get(id)?.seconds;
    return seconds === undefined ? undefined : formatLength(seconds);
  };
  const columns: Column<Job>[] = [
    {
      title: t`File`,
      place: 'lead',
      cell: ({ id }) => (
        <Anchor
          component="button"
          type="button"
          inherit
          disabled={isDisabled}
          ta="start"
          style={{ overflowWrap: 'anywhere' }}
          onClick={() => onOpen(id)}
        >
          {files.get(id)?.name ?? id}
        </Anchor>
      ),
    },
    { title: t`Status`, cell: ({ status }) => <JobBadge status={status} /> },
    { title: t`Started`, cell: ({ createdAt }) => formatMoment(createdAt) },
    {
      title: t`Length`,
      place: 'end',
      cell: (job) => lengthOf(job) ?? '–',
    },
    { title: t`Credits`, place: 'end', cell: ({ credits }) => formatCredits(credits) },
    {
      title: t`Actions`,
      place: 'corner',
      cell: (job) => (
        <DeleteJob job={job} length={lengthOf(job)} name={files.get(job.id)?.name} onDeleted={onDeleted} />
      ),
    },
  ];
  return (
    <Panel title={t`Long transcriptions`}>
      <PagedList pages={pages} empty={null}>
        {(jobs) => (
          <DataTable
            caption={t`Long transcriptions, newest first`}
            columns={columns}
            rows={jobs}
            idOf={({ id }) => id}
          />
        )}
      </PagedList>
    </Panel>
  );
}

interface DeleteJobProps {
  readonly job: Job;
  readonly length: string | undefined;
  readonly name: string | undefined;
  readonly onDeleted: (id: string) => void;
}

function DeleteJob({ job, length, name, onDeleted }: DeleteJobProps) {
  const { id, createdAt } = job;
  const started = formatMoment(createdAt) + (length === undefined ? '' : ` (${length})`);
  const text = isOpen(job)
    ? t`The transcription is still running, and you are charged for the full length of the file. This cannot be undone.`
    : t`Its text is deleted. This cannot be undone.`;
  return (
    <DeleteButton
      label={t`Delete ${{ name: name ?? id }}`}
      question={{
        title:
          name === undefined ? t`Delete the transcription of ${started}?` : t`Delete the transcription of “${name}”?`,
        text,
        action: t`Delete transcription`,
      }}
      onDelete={async () => {
        await perform(audioRoutes.deleteTranscriptionJob, { path: { id } });
        forgetJobFile(id);
        onDeleted(id);
        notify({ message: t`Transcription deleted.` });
      }}
      invalidates={[audioRoutes.listTranscriptionJobs, ...spendingReads]}
    />
  );
}

interface OpenedJobProps {
  readonly job: UseQueryResult<Result>;
  readonly name: string | undefined;
  /** Called with the audio to play along with the text: the service has deleted its own copy. */
  readonly onAudio: (file: File) => void;
}

/** A transcription whose audio is not available on this page. */
export function OpenedJob({ job: { data: job, error, refetch }, name, onAudio }: OpenedJobProps) {
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!job) return <Skeleton height={120} radius="md" />;
  const transcription = transcriptionOf(job);
  const title = name ?? t`Transcription`;
  return (
    <>
      <Text size="sm" mb="xs" style={{ overflowWrap: 'anywhere' }}>
        <Trans>
          <b>{title}</b>, {{ date: formatMoment(job.createdAt) }}
        </Trans>
      </Text>
      <JobView job={job} />
      {transcription && (
        <>
          <Group gap="xs" my="sm">
            <FileButton accept={audioTypes} onChange={(file) => file && onAudio(file)}>
              {(props) => (
                <Button {...props} size="compact-sm" variant="default" leftSection={<Icon name="play" size={16} />}>
                  <Trans>Choose the audio file</Trans>
                </Button>
              )}
            </FileButton>
            <Text size="xs" c="dimmed">
              <Trans>Play it with the transcript. The server no longer has a copy.</Trans>
            </Text>
          </Group>
          <TranscriptSection transcription={transcription} fileName={name ?? job.id} />
        </>
      )}
    </>
  );
}

const titles = {
  queued: [msg`Queued`, 'gray'],
  running: [msg`Running`, 'gray'],
  completed: [msg`Completed`, 'pine'],
  failed: [msg`Failed`, 'red'],
  expired: [msg`Expired`, 'yellow'],
} as const;

function JobBadge({ status }: Pick<Job, 'status'>) {
  const [title, color] = titles[status];
  return <Badge color={color}>{i18n._(title)}</Badge>;
}

/** Status and cost of a transcription job. */
export function JobView({ job }: { job: Result }) {
  const { status, language, credits, durationSeconds } = job;
  if (status === 'failed')
    return (
      <Notice tone="error">
        <Trans>
          The transcription failed and was not charged. Start it again. If it fails again, the audio is longer than its
          header states, or than your credits allow.
        </Trans>
      </Notice>
    );
  if (status === 'expired')
    return (
      <Notice tone="warning">
        <Trans>The model did not finish in time. The transcription was not charged; start it again.</Trans>
      </Notice>
    );
  return (
    <Group gap="sm">
      <div role="status">
        <JobBadge status={status} />
      </div>
      {isOpen(job) && <Elapsed since={job.createdAt} />}
      <Text size="sm" c="dimmed">
        {isOpen(job)
          ? t`${{ credits: creditCount(credits, formatCredits) }} charged. Unused credits are refunded.`
          : t`${{ length: formatLength(durationSeconds ?? 0) }}, ${{ credits: creditCount(credits, formatCredits) }}`}
      </Text>
      {language !== null && !isOpen(job) && <Badge color="gray">{languageTitle(language)}</Badge>}
    </Group>
  );
}

/** Time since the start of a job, updated every second. */
function Elapsed({ since }: { since: string }) {
  const now = useNow();
  useInterval(useForceUpdate(), 1000, { autoInvoke: true });
  return (
    <Text size="sm" className="number">
      {formatClock((now - Date.parse(since)) / 1000)}
    </Text>
  );
}

type Result = v.InferOutput<typeof TranscriptionResult>;

/** Polls a transcription job until it ends, while its tab is visible. */
export function useJob(id: string | undefined, isShown: boolean) {
  const client = useQueryClient();
  const job = useQuery({
    queryKey: [audioRoutes.getTranscriptionJob.id, id],
    queryFn: ({ signal }) => call(audioRoutes.getTranscriptionJob, { path: { id: id ?? '' } }, { signal }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => isShown && pollMs(state.data, state.dataUpdateCount),
  });
  const status = job.data?.status;
  useEffect(() => {
    if (status === undefined) return;
    for (const { id: read } of [audioRoutes.listTranscriptionJobs, ...spendingReads])
      void client.invalidateQueries({ queryKey: [read] });
  }, [client, status]);
  return job;
}

/** The result of a job in the form of a direct transcription, or undefined if it has not completed. */
export function transcriptionOf(job: Result | undefined): Transcription | undefined {
  if (job?.status !== 'completed' || job.text === null) return undefined;
  const { text, language, segments, words, credits } = job;
  return { text, language, segments, words, credits, durationSeconds: job.durationSeconds ?? 0 };
}

/** Storage name of the file names and lengths that the service does not know, oldest first. */
const slot = 'transcriptions';
const maxFiles = 100;
const Files = v.pipe(
  v.string(),
  v.parseJson(),
  v.array(v.object({ id: v.string(), name: v.string(), seconds: v.optional(v.number()) })),
);
type JobFile = v.InferOutput<typeof Files>[number];

function read(owner: Owner | undefined): readonly JobFile[] {
  const [item] = owner === undefined ? [] : kept(owner, slot);
  const files = v.safeParse(Files, item?.value);
  return files.success ? files.output : [];
}

/** File names and lengths by job id. */
export const jobFiles = (): ReadonlyMap<string, JobFile> =>
  new Map(read(documentOwner()).map((file) => [file.id, file]));

export function keepJobFile(file: JobFile): void {
  const owner = documentOwner();
  if (owner !== undefined) keep(owner, slot, JSON.stringify([...read(owner), file].slice(-maxFiles)));
}

function forgetJobFile(id: string): void {
  const owner = documentOwner();
  if (owner !== undefined) keep(owner, slot, JSON.stringify(read(owner).filter((file) => file.id !== id)));
}
