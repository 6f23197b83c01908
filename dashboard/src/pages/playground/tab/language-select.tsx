import { Select, type SelectProps } from '@mantine/core';
import { languages } from '#contract/inference/languages.ts';

const languageChoices = [...languages]
  .map(([value, label]) => ({ value, label }))
  .toSorted((one, other) => one.label.localeCompare(other.label));

interface LanguageSelectProps extends Pick<SelectProps, 'label' | 'error'> {
  /** ISO 639-1 code; null to detect the language. */
  readonly value: string | null;
  readonly onChange: (language: string | null) => void;
  readonly isRequired?: boolean;
}

export const LanguageSelect = ({ isRequired = false, ...props }: LanguageSelectProps) => (
  <Select
    label="Language"
    data={languageChoices}
    searchable
    {...(isRequired
      ? { allowDeselect: false }
      : { placeholder: 'Auto-detect', clearable: true, clearButtonProps: { 'aria-label': 'Clear language' } })}
    {...props}
  />
);
