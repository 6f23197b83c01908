import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Badge, Box, Button, Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { maxDirectAudioBytes, type Transcription } from '#contract/audio/transcription.ts';
import { prices } from '#contract/billing/prices.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { useConfig } from '../../../api/config.ts';
import { GetCodeButton } from '../../../components/get-code-button.tsx';
import { ErrorNotice, Notice } from '../../../components/notice.tsx';
import { curlOf, type TranscriptionCode } from '../../../lib/code/code-request.ts';
import { creditCount, formatBytes, formatCredits } from '../../../lib/format.ts';
import { useQuery } from '../../../lib/hooks.ts';
import { useExchange } from '../exchange/use-exchange.ts';
import { LanguageSelect, languageTitle } from '../tab/language-select.tsx';
import { Inspector, TabLayout } from '../tab/tab-layout.tsx';
import { AudioInput, useRecorder } from './audio-input.tsx';
import { formatLength } from './display.ts';
import { jobFiles, JobList, JobView, keepJobFile, OpenedJob, transcriptionOf, useJob } from './jobs.tsx';
import { type LongStage, type UploadProblem, useLongTranscription } from './long-transcription.ts';
import { useDecoded } from './player.tsx';
import { TranscribedAudio } from './transcript.tsx';
import { isOpen, uploadTypeOf } from './transcription-rules.ts';

export function TranscriptionTab() {
  const exchange = useExchange();
  const [query] = useQuery();
  const isShown = query.get('tab') === 'transcription';
  const { demoSpeechFormats } = useConfig();
  const [file, setFile] = useState<File>();
  const audio = useDecoded(file);
  const [language, setLanguage] = useState<string | null>(null);
  const [timestamps, setTimestamps] = useState<Timestamps>('word');
  const [direct, setDirect] = useState<Transcription>();
  const [jobId, setJobId] = useState<string>();
  /** Audio files of jobs started on this page, by job id. */
  const audioOfJobs = useRef(new Map<string, File>());
  const job = useJob(jobId, isShown);
  const long = useLongTranscription(exchange, ({ id }, { file: sent, seconds }) => {
    keepJobFile({ id, name: sent.name, ...(seconds !== undefined && { seconds }) });
    audioOfJobs.current.set(id, sent);
    setJobId(id);
  });
  const isLong = file !== undefined && file.size > maxDirectAudioBytes;
  const isBusy = exchange.isRunning || long.isBusy;
  const isWaiting = job.data !== undefined && isOpen(job.data);
  const transcription = jobId === undefined ? direct : transcriptionOf(job.data);

  const fields = { timestamps, ...(language !== null && { language }) };
  const code = { kind: 'transcription', file: `audio.${endingOf(file)}`, body: fields } as const;
  const contentType = file && uploadTypeOf(file);

  function show(next: { file?: File | undefined; jobId?: string }): void {
    long.cancel();
    setDirect(undefined);
    setFile(next.file);
    setJobId(next.jobId);
  }

  const recorder = useRecorder(isShown, (recorded) => show({ file: recorded }));

  async function transcribe(): Promise<void> {
    if (!file) return;
    setDirect(undefined);
    setJobId(undefined);
    if (isLong) return long.start({ file, seconds: audio?.seconds }, fields);
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', file);
    const about = {
      body: { file: `${file.name}, ${formatBytes(file.size)}`, ...fields },
      curl: (origin: string) => curlOf(origin, code),
    };
    setDirect(await exchange.call(audioRoutes.createTranscription, { form }, about));
  }

  const credits = prices.transcription.credits / prices.transcription.unitSize;
  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        {plural(credits, {
          one: `${credits} credit per second, rounded up, including silence.`,
          other: `${credits} credits per second, rounded up, including silence.`,
        })}
      </Text>
      <LanguageSelect value={language} onChange={setLanguage} />
      <div>
        <Text size="sm" fw={500} mb={4}>
          <Trans>Timestamps</Trans>
        </Text>
        <SegmentedControl
          fullWidth
          aria-label={t`Timestamps`}
          data={timestampChoices()}
          value={timestamps}
          onChange={setTimestamps}
        />
      </div>
    </Stack>
  );

  const details = (
    <>
      <Inspector exchange={exchange} />
      <JobList
        isShown={isShown}
        isDisabled={isBusy}
        onOpen={(id) => show({ jobId: id, file: audioOfJobs.current.get(id) })}
        onDeleted={(id) => {
          audioOfJobs.current.delete(id);
          if (id === jobId) show({ file });
        }}
      />
    </>
  );

  return (
    <TabLayout
      title={t`Transcription`}
      actions={
        <GetCodeButton
          request={() => (isLong && contentType ? { ...code, kind: 'long-transcription', contentType } : code)}
        />
      }
      parameters={parameters}
      details={details}
    >
      {demoSpeechFormats && (
        <Box mb="md">
          <Notice tone="info">
            <Trans>
              Local mode transcribes only speech from the Text-to-speech tab. For other audio it returns the length, at
              the same price. To use a model, run{' '}
              <span className="mono" dir="ltr">
                npm start -- --audio-url URL
              </span>
              .
            </Trans>
          </Notice>
        </Box>
      )}
      <AudioInput
        recorder={recorder}
        isDisabled={isBusy}
        onAudio={(chosen) => show({ file: chosen })}
        onRefused={long.cancel}
      />
      {file && (
        <TranscribedAudio
          file={file}
          audio={audio}
          isShown={isShown}
          isToUpload={isLong && !isBusy && jobId === undefined}
          transcription={transcription}
        >
          <Stack my="md" gap="sm">
            <UploadView stage={long.stage} total={file.size} onCancel={long.cancel} onRetry={() => void transcribe()} />
            {!long.isBusy && (
              <Group>
                <Button
                  loading={exchange.isRunning}
                  disabled={recorder.recording !== undefined || isWaiting}
                  onClick={() => void transcribe()}
                >
                  <Trans>Transcribe</Trans>
                </Button>
                {direct && (
                  <Text size="sm" c="dimmed" role="status">
                    {t`${{ length: formatLength(direct.durationSeconds) }}, ${{ credits: creditCount(direct.credits, formatCredits) }}`}
                  </Text>
                )}
                {direct && direct.language !== null && <Badge color="gray">{languageTitle(direct.language)}</Badge>}
                {isLong && jobId === undefined && (
                  <Text size="sm" c="dimmed">
                    <Trans>
                      The maximum cost of the file is charged when the transcription starts. The unused part is
                      refunded.
                    </Trans>
                  </Text>
                )}
              </Group>
            )}
            {job.data && <JobView job={job.data} />}
            {job.error && <ErrorNotice error={job.error} onRetry={() => void job.refetch()} />}
            {exchange.error && (
              <ErrorNotice
                error={exchange.error}
                model={firstModelFor('transcription')}
                onRetry={() => void transcribe()}
              />
            )}
          </Stack>
        </TranscribedAudio>
      )}
      {!file && jobId !== undefined && (
        <OpenedJob key={jobId} job={job} name={jobFiles().get(jobId)?.name} onAudio={setFile} />
      )}
    </TabLayout>
  );
}

/** The extension in the code's file name, restricted to characters that need no quotes. */
const endingOf = (file: File | undefined): string => /\.([a-z0-9]{1,5})$/i.exec(file?.name ?? '')?.[1] ?? 'mp3';

type Timestamps = NonNullable<TranscriptionCode['body']['timestamps']>;

const timestampChoices = (): { value: Timestamps; label: string }[] => [
  { value: 'none', label: t({ message: 'None', context: 'Timestamps' }) },
  { value: 'segment', label: t`Segments` },
  { value: 'word', label: t`Words` },
];

interface UploadViewProps {
  readonly stage: LongStage;
  /** Size of the file in bytes. */
  readonly total: number;
  readonly onCancel: () => void;
  readonly onRetry: () => void;
}

const sentences: Readonly<Record<UploadProblem, MessageDescriptor>> = {
  broken: msg`The upload was interrupted. Nothing was charged.`,
  expired: msg`The upload took longer than one hour. Nothing was charged.`,
  refused: msg`The file was rejected because it has changed since you chose it, or its format is unknown. Choose it again.`,
};

/** Progress of an upload, or the reason why it failed. */
function UploadView({ stage, total, onCancel, onRetry }: UploadViewProps) {
  if (stage.kind === 'failed') {
    const retry = (
      <Anchor component="button" type="button" onClick={onRetry}>
        <Trans>Retry</Trans>
      </Anchor>
    );
    return (
      <Notice tone="error" actions={stage.problem === 'refused' ? undefined : retry}>
        {i18n._(sentences[stage.problem])}
      </Notice>
    );
  }
  if (stage.kind === 'refused') return <ErrorNotice error={stage.error} model={firstModelFor('transcription')} />;
  if (stage.kind === 'idle') return null;
  const sent = stage.kind === 'uploading' ? stage.sent : total;
  const percent = Math.floor((sent / total) * 100);
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="sm" className="number">
          {sent === total
            ? t`Uploaded, starting`
            : t`Uploading: ${{ sent: formatBytes(sent) }} of ${{ size: formatBytes(total) }}, ${percent}%`}
        </Text>
        {stage.kind === 'uploading' && (
          <Button size="compact-sm" variant="default" onClick={onCancel}>
            <Trans>Cancel upload</Trans>
          </Button>
        )}
      </Group>
      <Progress value={percent} size={8} aria-label={t`Upload`} />
    </div>
  );
}
