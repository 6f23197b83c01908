import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { maxSpeechCharacters, type SpeechFormat, speechFormats } from '#contract/audio/speech.ts';
import { prices } from '#contract/billing/prices.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { ErrorNotice } from '../../../../components/feedback/error-notice.tsx';
import { creditCount, formatWhole } from '../../../../lib/format.ts';
import { curlOf } from '../../code/audio/curl.ts';
import { speechFile } from '../../code/audio/speech-file.ts';
import { GetCodeButton } from '../../code/get-code-button.tsx';
import { InterruptionNotice } from '../../exchange/interruption-notice.tsx';
import { useExchange } from '../../exchange/use-exchange.ts';
import { SliderField } from '../../parameters/slider-field.tsx';
import { InputText } from '../../parts/input-text.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { StopButton } from '../../parts/stop-button.tsx';
import { TabLayout } from '../../parts/tab-layout.tsx';
import { formatLength } from '../clock.ts';
import { useDecoded } from '../player/use-decoded.ts';
import { speechCredits } from '../price.ts';
import { playable } from './playable.ts';
import { SpeechResult, type SpokenText } from './speech-result.tsx';
import { type Voice, VoiceField } from './voice-field.tsx';

const example = 'Good morning. These words were written a moment ago, and now you can hear them.';

const model = 'svc-speech';

const formatTitles: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'MP3',
  opus: 'Opus (Ogg)',
  aac: 'AAC',
  flac: 'FLAC',
  wav: 'WAV',
  pcm: 'PCM (16-bit, 24 kHz)',
};
const isFormat = (name: string | null): name is SpeechFormat => name !== null && Object.hasOwn(speechFormats, name);
const formatChoices = Object.keys(speechFormats)
  .filter(isFormat)
  .map((value) => ({ value, label: formatTitles[value] }));

/** Text-to-speech: a text that is spoken in a voice, to hear and to save. */
export function SpeechTab() {
  const exchange = useExchange();
  const [text, setText] = useState(example);
  const [voice, setVoice] = useState<Voice>('alloy');
  const [format, setFormat] = useState<SpeechFormat>('mp3');
  const [speed, setSpeed] = useState(1);
  const [spoken, setSpoken] = useState<SpokenText>();
  const audio = useDecoded(spoken?.played);

  const characters = Array.from(text).length;
  const isTooLong = characters > maxSpeechCharacters;
  const credits = speechCredits(characters);
  const body = { text, voice, format, speed };

  async function speak(): Promise<void> {
    setSpoken(undefined);
    const order = { route: audioRoutes.createSpeech, body, credits };
    const file = await exchange.audio(order, (origin) => curlOf(origin, { kind: 'speech', body }));
    setSpoken(file && { file, played: playable(file, format), name: speechFile(format), credits });
  }

  const parameters = (
    <Stack>
      <Text size="sm" c="dimmed">
        {prices.audio.credits} credits per started {formatWhole(prices.audio.unitSize)} characters.
      </Text>
      <Select
        label="Format"
        data={formatChoices}
        allowDeselect={false}
        value={format}
        onChange={(value) => isFormat(value) && setFormat(value)}
      />
      <SliderField label="Speed" min={0.25} max={4} defaultValue={1} value={speed} onChange={setSpeed} />
    </Stack>
  );

  return (
    <TabLayout
      title="Text-to-speech"
      actions={<GetCodeButton request={() => ({ kind: 'speech', body })} />}
      parameters={parameters}
      details={<Inspector exchange={exchange} />}
    >
      <InputText
        label="Text"
        error={isTooLong && `Enter at most ${formatWhole(maxSpeechCharacters)} characters`}
        value={text}
        onChange={setText}
      />
      <Text size="xs" c="dimmed" mt={4} mb="md" className="number">
        {formatWhole(characters)} of {formatWhole(maxSpeechCharacters)} characters, {creditCount(credits)}
      </Text>
      <VoiceField value={voice} onChange={setVoice} />
      <Group my="md">
        {exchange.isRunning ? (
          <StopButton onClick={exchange.stop} />
        ) : (
          <Button disabled={text.trim() === '' || isTooLong} onClick={() => void speak()}>
            Generate speech
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {spoken && `${audio ? `${formatLength(audio.seconds)}, ` : ''}${creditCount(spoken.credits)}`}
        </Text>
      </Group>
      {exchange.error && <ErrorNotice error={exchange.error} model={model} onRetry={() => void speak()} />}
      <InterruptionNotice exchange={exchange} onRetry={() => void speak()} />
      {spoken && <SpeechResult {...spoken} audio={audio} />}
    </TabLayout>
  );
}
