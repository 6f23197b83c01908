import { TextInput, type TextInputProps } from '@mantine/core';

/** Of more digits, a number would be written with an exponent. */
const maxDigits = 20;

interface WholeNumberFieldProps extends Pick<TextInputProps, 'label' | 'placeholder' | 'description' | 'error'> {
  readonly value: number | '';
  readonly onChange: (value: number | '') => void;
  /** The field's name in its form. */
  readonly 'data-path'?: string;
}

/** A whole number without a sign, empty without one. What is too large is for the service to refuse. */
export function WholeNumberField({ value, onChange, ...props }: WholeNumberFieldProps) {
  return (
    <TextInput
      {...props}
      inputMode="numeric"
      autoComplete="off"
      value={String(value)}
      onChange={(event) => {
        const digits = event.currentTarget.value.replaceAll(/\D/g, '').slice(0, maxDigits);
        onChange(digits === '' ? '' : Number(digits));
      }}
    />
  );
}
