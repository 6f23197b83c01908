import { Select, Text } from '@mantine/core';
import { voices } from '#contract/audio/speech.ts';
import { languageName } from '#contract/inference/languages.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { useData } from '../../../../api/use-data.ts';
import { ErrorNotice } from '../../../../components/feedback/error-notice.tsx';

export type Voice = (typeof voices)[number]['id'];

const isVoice = (id: string | null): id is Voice => voices.some((voice) => voice.id === id);

interface VoiceFieldProps {
  readonly value: Voice;
  readonly onChange: (voice: Voice) => void;
}

/** One of the service's voices, with what it sounds like. */
export function VoiceField({ value, onChange }: VoiceFieldProps) {
  const { data, error, refetch } = useData(audioRoutes.listVoices, {});
  const about = new Map(
    data?.items.map(({ id, language, description }) => [id, `${description}, ${languageName(language) ?? language}`]),
  );
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Select
      label="Voice"
      // The room that it takes is there before it is known.
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
