import { SegmentedControl, Stack, Text } from '@mantine/core';
import { prices } from '#contract/billing/prices.ts';
import type { TranscriptionCode } from '../../code/code-request.ts';
import { LanguageSelect } from '../../parts/language-select.tsx';

export type Timestamps = NonNullable<TranscriptionCode['body']['timestamps']>;

const timestampChoices: { value: Timestamps; label: string }[] = [
  { value: 'none', label: 'None' },
  { value: 'segment', label: 'Segments' },
  { value: 'word', label: 'Words' },
];

interface TranscriptionParametersProps {
  readonly language: string | null;
  readonly timestamps: Timestamps;
  readonly onLanguage: (language: string | null) => void;
  readonly onTimestamps: (timestamps: Timestamps) => void;
}

/** The price, and what may be chosen. */
export function TranscriptionParameters(props: TranscriptionParametersProps) {
  const { language, timestamps, onLanguage, onTimestamps } = props;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {prices.transcription.credits / prices.transcription.unitSize} credits per second, rounded up, including
        silence.
      </Text>
      <LanguageSelect value={language} onChange={onLanguage} />
      <div>
        <Text size="sm" fw={500} mb={4}>
          Timestamps
        </Text>
        <SegmentedControl
          fullWidth
          aria-label="Timestamps"
          data={timestampChoices}
          value={timestamps}
          onChange={onTimestamps}
        />
      </div>
    </Stack>
  );
}
