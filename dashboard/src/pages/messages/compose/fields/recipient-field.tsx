import { TextInput } from '@mantine/core';
import type { Form } from '../../../../lib/hooks/use-form.ts';
import { useLate } from '../../../../lib/hooks/use-late.ts';
import { countryName } from '../../message.tsx';
import { type Draft, draftLabels, e164Of } from '../draft.ts';
import { spaced } from './field-styles.ts';

const loadNumbers = () => import('./read-number.ts');

/** A number, with its country as soon as that is known. */
export function RecipientField({ form }: { form: Form<Draft> }) {
  const to = e164Of(form.values.to);
  const numbers = useLate(loadNumbers, to !== '');
  const { error, ...field } = form.getInputProps('to');
  return (
    <TextInput
      label={draftLabels.to}
      type="tel"
      autoComplete="off"
      styles={spaced}
      placeholder="+14155550100"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={hint(to, numbers)}
      {...field}
      error={error === undefined ? undefined : refusal(to, error)}
    />
  );
}

/** As the service words it, with names of countries in place of their codes. */
function refusal(to: string, error: string): string {
  if (to === '') return 'Enter a phone number';
  const isOfCountry = error.includes('messages are sent');
  return isOfCountry ? error.replaceAll(/\b[A-Z]{2}\b/g, countryName) : error;
}

const hints = {
  none: 'With + and the country code',
  national: 'Start with + and the country code',
  country: 'The country appears once its code is known',
};

function hint(to: string, numbers: Awaited<ReturnType<typeof loadNumbers>> | undefined): string {
  if (to === '') return hints.none;
  if (!to.startsWith('+')) return hints.national;
  // Longer than any number is (ITU-T E.164), so that a pasted text is not looked at.
  const { country, callingCode, formatted, isValid } = numbers?.readNumber(to.slice(0, 17)) ?? {};
  if (country === undefined) return callingCode === undefined ? hints.country : `+${callingCode}: several countries`;
  return `${countryName(country)}${isValid ? `, ${formatted}` : ': incomplete number'}`;
}
