import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { formatNames, maxSpeechCharacters, type SpeechFormat, voiceIds, voices } from '#contract/audio/speech.ts';
import { prices } from '#contract/billing/prices.ts';
import { firstModelFor } from '#contract/inference/models.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { useConfig } from '../../../api/config.ts';
import { useDraft } from '../../../api/draft.ts';
import { useData } from '../../../api/reads.ts';
import { GetCodeButton } from '../../../components/get-code-button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { curlOf, speechFile } from '../../../lib/code/code-request.ts';
import { saveFile } from '../../../lib/downloads.ts';
import { creditCount, formatWhole } from '../../../lib/format.ts';
import { useQuery, useStableCallback } from '../../../lib/hooks.ts';
import { useExchange } from '../exchange/use-exchange.ts';
import { languageTitle } from '../tab/language-select.tsx';
import { SliderField } from '../tab/parameters.tsx';
import { ExchangeNotices, Inspector, InputText, TabLayout } from '../tab/tab-layout.tsx';
import { StopButton } from '../tab/text.tsx';
import { formatLength } from './display.ts';
import { AudioPlayer, type DecodedAudio, useDecoded, usePlayback } from './player.tsx';

const model = firstModelFor('speech');

export function SpeechTab() {
  const exchange = useExchange();
  const [query] = useQuery();
  const isShown = query.get('tab') === 'speech';
  const [draft, change] = useDraft(SpeechDraft, example, 'speech');
  const [spoken, setSpoken] = useState<SpokenText>();
  const audio = useDecoded(spoken?.played);

  const { text, voice, format } = draft;
  const characters = Array.from(text).length;
  const isTooLong = characters > maxSpeechCharacters;
  const credits = Math.ceil(characters / prices.audio.unitSize) * prices.audio.credits;

  async function speak(): Promise<void> {
    setSpoken(undefined);
    const order = { route: audioRoutes.createSpeech, body: draft, credits };
    const file = await exchange.audio(order, (origin) => curlOf(origin, { kind: 'speech', body: draft }));
    setSpoken(file && { file, played: playable(file, format), name: speechFile(format), credits });
  }

  return (
    <TabLayout
      title={t`Text-to-speech`}
      actions={<GetCodeButton request={() => ({ kind: 'speech', body: draft })} />}
      parameters={<SpeechParameters draft={draft} onChange={change} />}
      details={<Inspector exchange={exchange} />}
    >
      <InputText
        label={t`Text`}
        error={isTooLong && t`Enter at most ${{ limit: formatWhole(maxSpeechCharacters) }} characters`}
        value={text}
        onChange={(next) => change({ text: next })}
      />
      <Text size="xs" c="dimmed" mt={4} mb="md" className="number">
        <Trans>
          {{ count: formatWhole(characters) }} of {{ limit: formatWhole(maxSpeechCharacters) }} characters,{' '}
          {{ credits: creditCount(credits) }}
        </Trans>
      </Text>
      <VoiceField value={voice} onChange={(next) => change({ voice: next })} />
      <Group my="md">
        {exchange.isRunning ? (
          <StopButton onClick={exchange.stop} />
        ) : (
          <Button disabled={text.trim() === '' || isTooLong} onClick={() => void speak()}>
            <Trans>Generate speech</Trans>
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {spoken &&
            (audio
              ? t`${{ length: formatLength(audio.seconds) }}, ${{ credits: creditCount(spoken.credits) }}`
              : creditCount(spoken.credits))}
        </Text>
      </Group>
      <ExchangeNotices exchange={exchange} model={model} onRetry={() => void speak()} />
      {spoken && <SpeechResult {...spoken} audio={audio} isShown={isShown} />}
    </TabLayout>
  );
}

const titles: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'MP3',
  opus: 'Opus (Ogg)',
  aac: 'AAC',
  flac: 'FLAC',
  wav: 'WAV',
  pcm: 'PCM (16-bit, 24 kHz)',
};

interface SpeechParametersProps {
  readonly draft: SpeechDraft;
  readonly onChange: (change: Partial<SpeechDraft>) => void;
}

function SpeechParameters({ draft: { format, speed }, onChange }: SpeechParametersProps) {
  const { demoSpeechFormats } = useConfig();
  const { credits, unitSize } = prices.audio;
  const characters = formatWhole(unitSize);
  const choices = formatNames.map((value) => {
    const disabled = demoSpeechFormats !== null && !demoSpeechFormats.includes(value);
    return { value, disabled, label: disabled ? t`${{ format: titles[value] }}, needs --audio-url` : titles[value] };
  });
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {plural(credits, {
          one: `${credits} credit per ${characters} characters, rounded up.`,
          other: `${credits} credits per ${characters} characters, rounded up.`,
        })}
      </Text>
      <Select
        label={t`Format`}
        data={choices}
        allowDeselect={false}
        value={format}
        onChange={(value) => value !== null && onChange({ format: value })}
      />
      <SliderField
        label={t`Speed`}
        min={0.25}
        max={4}
        defaultValue={1}
        value={speed}
        onChange={(next) => onChange({ speed: next })}
      />
    </Stack>
  );
}

type Voice = (typeof voices)[number]['id'];

const isVoice = (id: string | null): id is Voice => voices.some((voice) => voice.id === id);

const descriptions: Readonly<Record<Voice, MessageDescriptor>> = {
  alloy: msg`Neutral and even`,
  echo: msg`Male, warm`,
  fable: msg`Male, bright`,
  onyx: msg`Male, deep`,
  nova: msg`Female, lively`,
  shimmer: msg`Female, bright`,
};

interface VoiceFieldProps {
  readonly value: Voice;
  readonly onChange: (voice: Voice) => void;
}

function VoiceField({ value, onChange }: VoiceFieldProps) {
  const { data, error, refetch } = useData(audioRoutes.listVoices, {});
  const about = new Map(
    data?.items.map(({ id, language, description }) => [
      id,
      t`${{ voice: isVoice(id) ? i18n._(descriptions[id]) : description }}, ${{ language: languageTitle(language) }}`,
    ]),
  );
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Select
      label={t`Voice`}
      // Reserves the line until the voices are loaded.
      description={about.get(value) ?? '…'}
      data={data?.items.map(({ id }) => id).filter(isVoice) ?? [value]}
      renderOption={({ option }) => (
        <div>
          {option.label}
          <Text size="xs" c="dimmed">
            {about.get(option.value)}
          </Text>
        </div>
      )}
      allowDeselect={false}
      maw="24rem"
      value={value}
      onChange={(id) => isVoice(id) && onChange(id)}
    />
  );
}

const SpeechDraft = v.object({
  text: v.string(),
  voice: v.picklist(voiceIds),
  format: v.picklist(formatNames),
  speed: v.number(),
});
type SpeechDraft = v.InferOutput<typeof SpeechDraft>;

const example: SpeechDraft = {
  text: 'Good morning. These words were written a moment ago, and now you can hear them.',
  voice: 'alloy',
  format: 'mp3',
  speed: 1,
};

interface SpokenText {
  /** The user saves `file`; the browser plays `played`. */
  readonly file: Blob;
  readonly played: Blob;
  readonly name: string;
  readonly credits: number;
}

interface SpeechResultProps extends SpokenText {
  readonly audio: DecodedAudio | null | undefined;
  readonly isShown: boolean;
}

/** A player for generated speech. It starts playing immediately if the tab is visible. */
function SpeechResult({ file, played, name, audio, isShown }: SpeechResultProps) {
  const playback = usePlayback(played, isShown);
  const begin = useStableCallback(() => {
    if (isShown && !document.hidden) playback.play();
  });
  useEffect(() => begin(), [begin, played]);
  return (
    <AudioPlayer label={t`Generated speech`} playback={playback} audio={audio}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        onClick={() => saveFile(file, name)}
      >
        <Trans>Download {name}</Trans>
      </Button>
    </AudioPlayer>
  );
}

/** Format of `pcm`: 16-bit samples, one channel, in Hz. */
const rate = 24_000;
const sampleBytes = 2;

/** Adds a WAV header (RIFF, "WAVE form") to raw PCM, which browsers cannot play. */
const playable = (file: Blob, format: SpeechFormat): Blob =>
  format === 'pcm' ? new Blob([wavHeader(file.size), file], { type: 'audio/wav' }) : file;

function wavHeader(bytes: number): ArrayBuffer {
  const header = new DataView(new ArrayBuffer(44));
  const write = (at: number, text: string): void =>
    Array.from(text).forEach((sign, index) => header.setUint8(at + index, sign.charCodeAt(0)));
  write(0, 'RIFF');
  header.setUint32(4, 36 + bytes, true);
  write(8, 'WAVEfmt ');
  header.setUint32(16, 16, true);
  header.setUint16(20, 1, true);
  header.setUint16(22, 1, true);
  header.setUint32(24, rate, true);
  header.setUint32(28, rate * sampleBytes, true);
  header.setUint16(32, sampleBytes, true);
  header.setUint16(34, 8 * sampleBytes, true);
  write(36, 'data');
  header.setUint32(40, bytes, true);
  return header.buffer;
}
