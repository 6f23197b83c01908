import { ActionIcon, Anchor } from '@mantine/core';
import { audioRoutes } from '#contract/routes/audio.ts';
import { call, perform } from '../../../../../api/call.ts';
import { toApiError } from '../../../../../api/http/api-error.ts';
import { spendingReads } from '../../../../../api/reads.ts';
import { useAction } from '../../../../../api/use-data.ts';
import { Icon } from '../../../../../components/elements/icon.tsx';
import { Tip } from '../../../../../components/elements/tip.tsx';
import { notify } from '../../../../../components/feedback/notifications.tsx';
import { Panel } from '../../../../../components/layout/panel.tsx';
import { confirm } from '../../../../../components/overlays/confirm.tsx';
import { type Column, DataTable } from '../../../../../components/tables/data-table.tsx';
import { PagedList } from '../../../../../components/tables/paged-list.tsx';
import { usePages } from '../../../../../components/tables/use-pages.ts';
import { formatCredits, formatMoment } from '../../../../../lib/format.ts';
import { rescueFocus } from '../../../../../lib/rescue-focus.ts';
import { formatLength } from '../../clock.ts';
import { forgetJobFile, jobFiles } from './job-files.ts';
import { isOpen } from './job-polls.ts';
import { JobBadge } from './job-view.tsx';
import type { Job } from './use-long-transcription.ts';

const pageSize = 10;
/** How often a list with transcriptions that have not ended is read again, in ms. */
const openPollMs = 5000;

interface JobListProps {
  readonly isShown: boolean;
  /** True while a file is on its way, which opening another would end. */
  readonly isDisabled: boolean;
  readonly onOpen: (id: string) => void;
  readonly onDeleted: (id: string) => void;
}

/** The account's transcriptions of long audio, newest first; nothing where there is none. */
export function JobList({ isShown, isDisabled, onOpen, onDeleted }: JobListProps) {
  const pages = usePages({
    queryKey: [audioRoutes.listTranscriptionJobs.id],
    read: (cursor, signal) =>
      call(audioRoutes.listTranscriptionJobs, { query: { limit: String(pageSize), cursor } }, { signal }),
    rowsOf: ({ items }) => items,
    pollMs: (first) => isShown && first?.items.some(isOpen) === true && openPollMs,
  });
  const files = jobFiles();
  if (pages.isPending || (pages.data?.length === 0 && !pages.hasNextPage)) return null;
  /** Before a job ends, as the browser found it in the file. */
  const lengthOf = ({ id, durationSeconds }: Job): string | undefined => {
    const seconds = durationSeconds ?? files.get(id)?.seconds;
    return seconds === undefined ? undefined : formatLength(seconds);
  };
  const columns: Column<Job>[] = [
    {
      title: 'File',
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
    { title: 'Status', cell: ({ status }) => <JobBadge status={status} /> },
    { title: 'Started', cell: ({ createdAt }) => formatMoment(createdAt) },
    {
      title: 'Length',
      place: 'end',
      cell: (job) => lengthOf(job) ?? '–',
    },
    { title: 'Credits', place: 'end', cell: ({ credits }) => formatCredits(credits) },
    {
      title: 'Actions',
      place: 'corner',
      cell: (job) => (
        <DeleteJob job={job} length={lengthOf(job)} name={files.get(job.id)?.name} onDeleted={onDeleted} />
      ),
    },
  ];
  return (
    <Panel title="Long transcriptions">
      <PagedList pages={pages} empty={null}>
        {(jobs) => (
          <DataTable caption="Long transcriptions, newest first" columns={columns} rows={jobs} idOf={({ id }) => id} />
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
  const deletion = useAction(async () => {
    try {
      await perform(audioRoutes.deleteTranscriptionJob, { path: { id } });
      forgetJobFile(id);
      onDeleted(id);
      notify({ message: 'Transcription deleted.' });
    } catch (error) {
      notify({ message: toApiError(error).message, color: 'red' });
    }
    rescueFocus();
  }, [audioRoutes.listTranscriptionJobs, ...spendingReads]);
  const text = isOpen(job)
    ? 'The transcription is still running, and you are charged for the full length of the file. This cannot be undone.'
    : 'Its text is deleted. This cannot be undone.';
  return (
    <Tip label="Delete">
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Delete ${name ?? id}`}
        loading={deletion.isRunning}
        onClick={() =>
          confirm({
            title: `Delete the transcription of ${name === undefined ? started : `“${name}”`}?`,
            text,
            action: 'Delete transcription',
            onConfirm: () => void deletion.run(undefined),
          })
        }
      >
        <Icon name="trash" />
      </ActionIcon>
    </Tip>
  );
}
