import { Badge, Button, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Transcription } from '#contract/audio/transcription.ts';
import { prices } from '#contract/billing/prices.ts';
import { languageName, languages } from '#contract/inference/languages.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { ErrorNotice } from '../../../../components/feedback/error-notice.tsx';
import { creditCount, formatBytes, formatCredits } from '../../../../lib/format.ts';
import { curlOf } from '../../code/audio/curl.ts';
import type { TranscriptionCode } from '../../code/code-request.ts';
import { GetCodeButton } from '../../code/get-code-button.tsx';
import { useExchange } from '../../exchange/use-exchange.ts';
import { Inspector } from '../../parts/inspector.tsx';
import { TabLayout } from '../../parts/tab-layout.tsx';
import { formatLength } from '../clock.ts';
import { AudioInput } from './audio-input.tsx';
import { useRecorder } from './recorder/use-recorder.ts';
import { TranscribedAudio } from './transcribed-audio.tsx';

const languageChoices = [...languages]
  .map(([value, label]) => ({ value, label }))
  .toSorted((one, other) => one.label.localeCompare(other.label));

type Timestamps = NonNullable<TranscriptionCode['body']['timestamps']>;
const timestampChoices: { value: Timestamps; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'segment', label: 'Segments' },
  { value: 'word', label: 'Words' },
];

/** Voice recognition: speech that is recorded or in a file becomes text, with the times of its words. */
export function TranscriptionTab() {
  const exchange = useExchange();
  const [file, setFile] = useState<File>();
  const [language, setLanguage] = useState<string | null>(null);
  const [timestamps, setTimestamps] = useState<Timestamps>('word');
  const [transcription, setTranscription] = useState<Transcription>();

  const fields = { timestamps, ...(language !== null && { language }) };
  const code = { kind: 'transcription', file: `audio.${endingOf(file)}`, body: fields } as const;

  function choose(chosen: File): void {
    exchange.reset();
    setTranscription(undefined);
    setFile(chosen);
  }

  const recorder = useRecorder(choose);

  async function transcribe(): Promise<void> {
    if (!file) return;
    setTranscription(undefined);
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', file);
    const about = {
      body: { file: `${file.name}, ${formatBytes(file.size)}`, ...fields },
      curl: (origin: string) => curlOf(origin, code),
    };
    setTranscription(await exchange.call(audioRoutes.createTranscription, { form }, about));
  }

  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        {prices.transcription.credits / prices.transcription.unitSize} credits per started second, silence too.
      </Text>
      <Select
        label="Language"
        placeholder="Auto-detect"
        data={languageChoices}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear language' }}
        value={language}
        onChange={setLanguage}
      />
      <div>
        <Text size="sm" fw={500} mb={4}>
          Timestamps
        </Text>
        <SegmentedControl
          fullWidth
          aria-label="Timestamps"
          data={timestampChoices}
          value={timestamps}
          onChange={setTimestamps}
        />
      </div>
    </Stack>
  );

  return (
    <TabLayout
      title="Voice recognition"
      actions={<GetCodeButton request={() => code} />}
      parameters={parameters}
      details={<Inspector exchange={exchange} />}
    >
      <AudioInput recorder={recorder} isDisabled={exchange.isRunning} onAudio={choose} />
      {file && (
        <TranscribedAudio file={file} transcription={transcription}>
          <Group my="md">
            <Button
              loading={exchange.isRunning}
              disabled={recorder.recording !== undefined}
              onClick={() => void transcribe()}
            >
              Transcribe
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {transcription &&
                `${formatLength(transcription.durationSeconds)}, ${creditCount(transcription.credits, formatCredits)}`}
            </Text>
            {transcription?.language && (
              <Badge color="gray">{languageName(transcription.language) ?? transcription.language}</Badge>
            )}
          </Group>
          {exchange.error && (
            <ErrorNotice error={exchange.error} model="svc-transcribe" onRetry={() => void transcribe()} />
          )}
        </TranscribedAudio>
      )}
    </TabLayout>
  );
}

/** In code the file has a name that needs no quotes. */
const endingOf = (file: File | undefined): string => /\.([a-z0-9]{1,5})$/i.exec(file?.name ?? '')?.[1] ?? 'mp3';
