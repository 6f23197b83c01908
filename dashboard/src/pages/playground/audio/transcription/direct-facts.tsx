import { Badge, Text } from '@mantine/core';
import type { Transcription } from '#contract/audio/transcription.ts';
import { languageName } from '#contract/inference/languages.ts';
import { creditCount, formatCredits } from '../../../../lib/format.ts';
import { formatLength } from '../clock.ts';

interface DirectFactsProps {
  readonly transcription: Transcription;
}

/** What a transcription came to that had no job. */
export function DirectFacts({ transcription: { durationSeconds, credits, language } }: DirectFactsProps) {
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {formatLength(durationSeconds)}, {creditCount(credits, formatCredits)}
      </Text>
      {language !== null && <Badge color="gray">{languageName(language) ?? language}</Badge>}
    </>
  );
}
