import { Badge, Group, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { languageName } from '#contract/inference/languages.ts';
import { useNow } from '../../../../../api/clock.ts';
import { Notice } from '../../../../../components/feedback/notice.tsx';
import { creditCount, formatCredits } from '../../../../../lib/format.ts';
import { formatClock, formatLength } from '../../clock.ts';
import { isOpen } from './job-polls.ts';
import type { Result } from './use-job.ts';
import type { Job } from './use-long-transcription.ts';

const titles = {
  queued: ['Queued', 'gray'],
  running: ['Running', 'gray'],
  completed: ['Completed', 'pine'],
  failed: ['Failed', 'red'],
  expired: ['Expired', 'yellow'],
} as const;

export function JobBadge({ status }: Pick<Job, 'status'>) {
  const [title, color] = titles[status];
  return <Badge color={color}>{title}</Badge>;
}

/** How far a transcription is, and what it costs; of one that has ended, what it came to. */
export function JobView({ job }: { job: Result }) {
  const { status, language, credits, durationSeconds } = job;
  if (status === 'failed')
    return (
      <Notice tone="error">
        The transcription failed and was not charged. Start it again. If it fails again, the audio is longer than its
        header states, or than your credits allow.
      </Notice>
    );
  if (status === 'expired')
    return (
      <Notice tone="warning">
        The model did not finish in time. The transcription was not charged; start it again.
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
          ? `${creditCount(credits, formatCredits)} charged. Unused credits are refunded.`
          : `${formatLength(durationSeconds ?? 0)}, ${creditCount(credits, formatCredits)}`}
      </Text>
      {language !== null && !isOpen(job) && <Badge color="gray">{languageName(language) ?? language}</Badge>}
    </Group>
  );
}

const tickMs = 1000;

/** Time since a moment, each second. */
function Elapsed({ since }: { since: string }) {
  const now = useNow();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((ticks) => ticks + 1), tickMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <Text size="sm" className="number">
      {formatClock((now - Date.parse(since)) / 1000)}
    </Text>
  );
}
