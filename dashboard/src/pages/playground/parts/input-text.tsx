import { Textarea, type TextareaProps } from '@mantine/core';

interface InputTextProps extends Pick<TextareaProps, 'error'> {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A text for a model. */
export function InputText({ onChange, ...props }: InputTextProps) {
  return (
    <Textarea {...props} autosize minRows={4} maxRows={14} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}
