import { TextInput, type TextInputProps } from '@mantine/core';

interface WholeNumberFieldProps extends Pick<
  TextInputProps,
  'label' | 'placeholder' | 'description' | 'error' | 'required' | 'flex'
> {
  /** A string where it is empty or no plain number, such as "-". */
  readonly value: number | string;
  readonly onChange: (value: number | string) => void;
  /** The field's name in its form. */
  readonly 'data-path'?: string;
  /** Of a dialog, to begin in it. */
  readonly 'data-autofocus'?: boolean;
}

/** Only a text that the number would be shown as: anything else stays as it was typed. */
const toValue = (text: string): number | string => (String(Number(text)) === text ? Number(text) : text);

/**
 * A whole number. What is typed stays as it is; a fraction or a number out of range is an error at the field. Mantine's
 * field of numbers changes some of what is typed, and is 10 KB of what the playground loads.
 */
export function WholeNumberField({ value, onChange, ...props }: WholeNumberFieldProps) {
  return (
    <TextInput
      {...props}
      inputMode="numeric"
      autoComplete="off"
      value={String(value)}
      onChange={(event) => onChange(toValue(event.currentTarget.value.trim()))}
    />
  );
}
