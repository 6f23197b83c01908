import { t } from '@lingui/core/macro';
import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { languages } from '#contract/accounts/preferences.ts';
import { language } from '../lib/language.ts';
import { chooseLanguage } from '../lib/texts.ts';

const choices = Object.entries(languages).map(([value, label]) => ({ value, label }));

/** Each language has its own name, for people who cannot read the page. */
export function LanguageChoice(props: NativeSelectProps) {
  return (
    <NativeSelect
      aria-label={t`Language`}
      data={choices}
      value={language}
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}
      {...props}
    />
  );
}
