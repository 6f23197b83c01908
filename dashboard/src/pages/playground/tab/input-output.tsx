import { Text, Textarea, type TextareaProps } from '@mantine/core';
import css from './tab.module.css';
import { PlainText } from './text.tsx';

interface InputTextProps extends Pick<TextareaProps, 'error'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A field for a model's input, which must not be blank. */
export function InputText({ error, value, onChange, ...props }: InputTextProps) {
  return (
    <Textarea
      {...props}
      error={error || (value.trim() === '' && 'Enter some text')}
      value={value}
      autosize
      minRows={4}
      maxRows={14}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface OutputTextProps {
  readonly label: string;
  readonly text: string;
  readonly finishReason?: string | undefined;
  readonly isRunning: boolean;
}

/** A model's output, displayed as it arrives. */
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
