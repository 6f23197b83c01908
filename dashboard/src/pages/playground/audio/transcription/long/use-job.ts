import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type * as v from 'valibot';
import type { Transcription } from '#contract/audio/transcription.ts';
import type { TranscriptionResult } from '#contract/audio/transcriptions.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { call } from '../../../../../api/call.ts';
import { spendingReads } from '../../../../../api/reads.ts';
import { pollMs } from './job-polls.ts';

export type Result = v.InferOutput<typeof TranscriptionResult>;

/** A transcription by its id, read until it has ended, while it is looked at: not in a tab of the browser that is hidden. */
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

/** A job's text as that of a direct transcription; undefined until it is there. */
export function transcriptionOf(job: Result | undefined): Transcription | undefined {
  if (job?.status !== 'completed' || job.text === null) return undefined;
  const { text, language, segments, words, credits } = job;
  return { text, language, segments, words, credits, durationSeconds: job.durationSeconds ?? 0 };
}
