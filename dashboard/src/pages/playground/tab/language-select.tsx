import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Select, type SelectProps } from '@mantine/core';
import { languageName, languageNames } from '#contract/inference/languages.ts';

const translated =
  i18n.locale === 'en' ? undefined : new Intl.DisplayNames(i18n.locale, { type: 'language', fallback: 'none' });

/** Returns the name of a language by its ISO 639-1 code, or the code itself if it is unknown. */
export function languageTitle(code: string): string {
  const english = languageName(code);
  return (english && translated?.of(code.toLowerCase())) ?? english ?? code;
}

const languageChoices = [...languageNames.keys()]
  .map((value) => ({ value, label: languageTitle(value) }))
  .toSorted((one, other) => one.label.localeCompare(other.label, i18n.locale));

interface LanguageSelectProps extends Pick<SelectProps, 'label' | 'error'> {
  /** ISO 639-1 code; null to detect the language. */
  readonly value: string | null;
  readonly onChange: (language: string | null) => void;
  readonly isRequired?: boolean;
}

export const LanguageSelect = ({ isRequired = false, ...props }: LanguageSelectProps) => (
  <Select
    label={t`Language`}
    data={languageChoices}
    searchable
    {...(isRequired
      ? { allowDeselect: false }
      : { placeholder: t`Auto-detect`, clearable: true, clearButtonProps: { 'aria-label': t`Clear language` } })}
    {...props}
  />
);
