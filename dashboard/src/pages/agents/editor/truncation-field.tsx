import { Radio, Stack } from '@mantine/core';
import { truncations } from '#contract/agents/agents.ts';
import type { AgentValues } from './agent-values.ts';

type Truncation = AgentValues['truncation'];

const phrases: Readonly<Record<Truncation, { readonly label: string; readonly description: string }>> = {
  drop: { label: 'Truncate', description: 'The oldest messages are omitted.' },
  summarize: { label: 'Summarize', description: 'A summary replaces the oldest messages, at no charge.' },
  error: { label: 'Return an error', description: 'The message is rejected. You are not charged.' },
};

interface TruncationFieldProps {
  readonly value: Truncation;
  readonly error: string | undefined;
  readonly onChange: (value: Truncation) => void;
}

/** What becomes of messages that the model's context has no room for. */
export function TruncationField({ value, error, onChange }: TruncationFieldProps) {
  return (
    <Radio.Group
      label="When the context is full"
      value={value}
      error={error}
      onChange={(chosen) => {
        const truncation = truncations.find((one) => one === chosen);
        if (truncation) onChange(truncation);
      }}
    >
      <Stack gap="xs" mt={6}>
        {truncations.map((one) => (
          <Radio key={one} value={one} {...phrases[one]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
