import { Text } from '@mantine/core';
import css from './playground.module.css';

interface OutputTextProps {
  readonly label: string;
  readonly text: string;
  readonly isRunning: boolean;
}

/** A model's output, as it arrives. */
export function OutputText({ label, text, isRunning }: OutputTextProps) {
  return (
    <section aria-label={label} aria-busy={isRunning} aria-live="polite" style={{ minHeight: '7rem' }}>
      <Text size="sm" fw={500} mb={4}>
        {label}
      </Text>
      <div className={css.text}>
        {text}
        {isRunning && <span className={css.caret} />}
        {text === '' && !isRunning && (
          <Text component="span" c="dimmed">
            The output appears here.
          </Text>
        )}
      </div>
    </section>
  );
}
