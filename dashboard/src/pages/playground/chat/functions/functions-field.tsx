import { Anchor, Textarea } from '@mantine/core';
import { exampleFunctions } from './parse-functions.ts';

interface FunctionsFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  /** The field's name in its form. */
  readonly 'data-path'?: string;
}

/** The functions that the model may call, as the API takes them. */
export function FunctionsField({ value, error, onChange, ...props }: FunctionsFieldProps) {
  return (
    <div>
      <Textarea
        {...props}
        label="Functions"
        description="A JSON array of functions the model may call"
        autosize
        minRows={2}
        maxRows={12}
        error={error}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {value === '' && (
        <Anchor component="button" type="button" size="sm" onClick={() => onChange(exampleFunctions)}>
          Insert example
        </Anchor>
      )}
    </div>
  );
}
