import { Select, Stack, Text } from '@mantine/core';
import { formatNames, type SpeechFormat } from '#contract/audio/speech.ts';
import { prices } from '#contract/billing/prices.ts';
import { useConfig } from '../../../../api/config.ts';
import { formatWhole } from '../../../../lib/format.ts';
import { SliderField } from '../../parameters/slider-field.tsx';
import type { SpeechDraft } from './use-speech-draft.ts';

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

/** The price, the file's format and the speed. */
export function SpeechParameters({ draft: { format, speed }, onChange }: SpeechParametersProps) {
  const { demoSpeechFormats } = useConfig();
  const choices = formatNames.map((value) => {
    const disabled = demoSpeechFormats !== null && !demoSpeechFormats.includes(value);
    return { value, disabled, label: disabled ? `${titles[value]}, needs --audio-url` : titles[value] };
  });
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {prices.audio.credits} credits per {formatWhole(prices.audio.unitSize)} characters, rounded up.
      </Text>
      <Select
        label="Format"
        data={choices}
        allowDeselect={false}
        value={format}
        onChange={(value) => value !== null && onChange({ format: value })}
      />
      <SliderField
        label="Speed"
        min={0.25}
        max={4}
        defaultValue={1}
        value={speed}
        onChange={(next) => onChange({ speed: next })}
      />
    </Stack>
  );
}
