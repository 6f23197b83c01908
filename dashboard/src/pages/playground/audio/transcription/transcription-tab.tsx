import { Button, Group, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { maxDirectAudioBytes, type Transcription } from '#contract/audio/transcription.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { useConfig } from '../../../../api/config.ts';
import { ErrorNotice } from '../../../../components/feedback/error-notice.tsx';
import { formatBytes } from '../../../../lib/format.ts';
import { useQuery } from '../../../../lib/hooks/use-query.ts';
import { curlOf } from '../../code/audio/curl.ts';
import { GetCodeButton } from '../../code/get-code-button.tsx';
import { useExchange } from '../../exchange/use-exchange.ts';
import { Inspector } from '../../parts/inspector.tsx';
import { TabLayout } from '../../parts/tab-layout.tsx';
import { useDecoded } from '../player/use-decoded.ts';
import { AudioInput } from './audio-input.tsx';
import { DirectFacts } from './direct-facts.tsx';
import { LocalNotice } from './local-notice.tsx';
import { jobFiles, keepJobFile } from './long/job-files.ts';
import { JobList } from './long/job-list.tsx';
import { isOpen } from './long/job-polls.ts';
import { JobView } from './long/job-view.tsx';
import { LongHint } from './long/long-hint.tsx';
import { OpenedJob } from './long/opened-job.tsx';
import { uploadTypeOf } from './long/upload-type.ts';
import { UploadView } from './long/upload-view.tsx';
import { transcriptionOf, useJob } from './long/use-job.ts';
import { useLongTranscription } from './long/use-long-transcription.ts';
import { useRecorder } from './recorder/use-recorder.ts';
import { TranscribedAudio } from './transcript/transcribed-audio.tsx';
import { type Timestamps, TranscriptionParameters } from './transcription-parameters.tsx';

/** Voice recognition: speech that is recorded or in a file becomes text, with the times of its words. */
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
  /** Those whose audio this page has. */
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
      title="Transcription"
      actions={
        <GetCodeButton
          request={() => (isLong && contentType ? { ...code, kind: 'long-transcription', contentType } : code)}
        />
      }
      parameters={
        <TranscriptionParameters
          language={language}
          timestamps={timestamps}
          onLanguage={setLanguage}
          onTimestamps={setTimestamps}
        />
      }
      details={details}
    >
      {demoSpeechFormats && <LocalNotice />}
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
                  Transcribe
                </Button>
                {direct && <DirectFacts transcription={direct} />}
                {isLong && jobId === undefined && <LongHint />}
              </Group>
            )}
            {job.data && <JobView job={job.data} />}
            {job.error && <ErrorNotice error={job.error} onRetry={() => void job.refetch()} />}
            {exchange.error && (
              <ErrorNotice error={exchange.error} model="svc-transcribe" onRetry={() => void transcribe()} />
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

/** In code the file has a name that needs no quotes. */
const endingOf = (file: File | undefined): string => /\.([a-z0-9]{1,5})$/i.exec(file?.name ?? '')?.[1] ?? 'mp3';
