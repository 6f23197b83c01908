import { Textarea, type TextareaProps } from '@mantine/core';

interface InputTextProps extends Pick<TextareaProps, 'error'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A text for a model. A blank one, which no button sends, is an error. */
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
