import { Select } from '@mantine/core';
import { languages } from '#contract/inference/languages.ts';

export const languageChoices = [...languages]
  .map(([value, label]) => ({ value, label }))
  .toSorted((one, other) => one.label.localeCompare(other.label));

interface LanguageSelectProps {
  /** ISO 639-1; null where it is detected. */
  readonly value: string | null;
  readonly onChange: (language: string | null) => void;
}

/** The language of what is sent, which need not be known. */
export const LanguageSelect = ({ value, onChange }: LanguageSelectProps) => (
  <Select
    label="Language"
    placeholder="Auto-detect"
    data={languageChoices}
    searchable
    clearable
    clearButtonProps={{ 'aria-label': 'Clear language' }}
    value={value}
    onChange={onChange}
  />
);
