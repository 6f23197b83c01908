import { TextInput, type TextInputProps } from '@mantine/core';

interface WholeNumberFieldProps extends Pick<
  TextInputProps,
  'label' | 'placeholder' | 'description' | 'error' | 'required' | 'flex'
> {
  /** A string if the field is empty or its text is not a number, such as "-". */
  readonly value: number | string;
  readonly onChange: (value: number | string) => void;
  /** Name of the field in its form. */
  readonly 'data-path'?: string;
  /** Focuses the field when its dialog opens. */
  readonly 'data-autofocus'?: boolean;
}

/** Converts text only if the number would be displayed in the same way. Other text stays as typed. */
const toValue = (text: string): number | string => (String(Number(text)) === text ? Number(text) : text);

/**
 * A field for a whole number. It never changes typed text: a fraction or a number out of range shows an error.
 * Mantine's NumberInput changes some input, and is 10 KB.
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
