import { Text } from '@mantine/core';
import { PlainText } from './plain-text.tsx';
import css from './playground.module.css';

interface OutputTextProps {
  readonly label: string;
  readonly text: string;
  readonly finishReason?: string | undefined;
  readonly isRunning: boolean;
}

/** A model's output, as it arrives. */
export function OutputText({ label, text, finishReason, isRunning }: OutputTextProps) {
  return (
    <section aria-label={label} aria-busy={isRunning} aria-live="polite" className={css.output}>
      <Text size="sm" fw={500} mb={4}>
        {label}
        {finishReason !== undefined && (
          <Text component="span" size="xs" c="dimmed" ml="xs">
            finish_reason: {finishReason}
          </Text>
        )}
      </Text>
      <PlainText isStreaming={isRunning}>
        {text}
        {text === '' && !isRunning && (
          <Text component="span" c="dimmed">
            The output appears here.
          </Text>
        )}
      </PlainText>
    </section>
  );
}
