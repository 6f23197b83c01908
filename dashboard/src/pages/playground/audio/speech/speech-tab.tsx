import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { maxSpeechCharacters } from '#contract/audio/speech.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { ErrorNotice } from '../../../../components/feedback/error-notice.tsx';
import { creditCount, formatWhole } from '../../../../lib/format.ts';
import { useQuery } from '../../../../lib/hooks/use-query.ts';
import { curlOf } from '../../code/audio/curl.ts';
import { speechFile } from '../../code/audio/speech-file.ts';
import { GetCodeButton } from '../../code/get-code-button.tsx';
import { InterruptionNotice } from '../../exchange/interruption-notice.tsx';
import { useExchange } from '../../exchange/use-exchange.ts';
import { InputText } from '../../parts/input-text.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { StopButton } from '../../parts/stop-button.tsx';
import { TabLayout } from '../../parts/tab-layout.tsx';
import { formatLength } from '../clock.ts';
import { useDecoded } from '../player/use-decoded.ts';
import { speechCredits } from '../price.ts';
import { playable } from './playable.ts';
import { SpeechParameters } from './speech-parameters.tsx';
import { SpeechResult, type SpokenText } from './speech-result.tsx';
import { useSpeechDraft } from './use-speech-draft.ts';
import { VoiceField } from './voice-field.tsx';

const model = 'svc-speech';

/** Text-to-speech: a text that is spoken in a voice, to hear and to save. */
export function SpeechTab() {
  const exchange = useExchange();
  const [query] = useQuery();
  const isShown = query.get('tab') === 'speech';
  const [draft, change] = useSpeechDraft();
  const [spoken, setSpoken] = useState<SpokenText>();
  const audio = useDecoded(spoken?.played);

  const { text, voice, format } = draft;
  const characters = Array.from(text).length;
  const isTooLong = characters > maxSpeechCharacters;
  const credits = speechCredits(characters);

  async function speak(): Promise<void> {
    setSpoken(undefined);
    const order = { route: audioRoutes.createSpeech, body: draft, credits };
    const file = await exchange.audio(order, (origin) => curlOf(origin, { kind: 'speech', body: draft }));
    setSpoken(file && { file, played: playable(file, format), name: speechFile(format), credits });
  }

  return (
    <TabLayout
      title="Text-to-speech"
      actions={<GetCodeButton request={() => ({ kind: 'speech', body: draft })} />}
      parameters={<SpeechParameters draft={draft} onChange={change} />}
      details={<Inspector exchange={exchange} />}
    >
      <InputText
        label="Text"
        error={isTooLong && `Enter at most ${formatWhole(maxSpeechCharacters)} characters`}
        value={text}
        onChange={(next) => change({ text: next })}
      />
      <Text size="xs" c="dimmed" mt={4} mb="md" className="number">
        {formatWhole(characters)} of {formatWhole(maxSpeechCharacters)} characters, {creditCount(credits)}
      </Text>
      <VoiceField value={voice} onChange={(next) => change({ voice: next })} />
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
      {spoken && <SpeechResult {...spoken} audio={audio} isShown={isShown} />}
    </TabLayout>
  );
}
