import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Text, Textarea, TextInput } from '@mantine/core';
import { limits } from '#contract/shared/limits.ts';
import type { Form } from '../../api/form.ts';
import { formatItems, formatWhole } from '../../lib/format.ts';
import { useLate } from '../../lib/hooks.ts';
import type { CountedText } from './count-text.ts';
import { type Draft, draftLabels, e164Of, countryName } from './message.ts';
import css from './messages.module.css';

const loadNumbers = () => import('./read-number.ts');

export function RecipientField({ form }: { form: Form<Draft> }) {
  const to = e164Of(form.values.to);
  const numbers = useLate(loadNumbers, to !== '');
  const labels = draftLabels();
  const { error, ...field } = form.getInputProps('to');
  return (
    <TextInput
      label={labels.to}
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

/** Same text as the service's error, but with country names instead of codes. */
function refusal(to: string, error: string): string {
  if (to === '') return t`Enter a phone number`;
  const isOfCountry = error.includes('messages are sent');
  return isOfCountry ? error.replaceAll(/\b[A-Z]{2}\b/g, countryName) : error;
}

function hint(to: string, numbers: Awaited<ReturnType<typeof loadNumbers>> | undefined): string {
  if (to === '') return t`With + and the country code`;
  if (!to.startsWith('+')) return t`Start with + and the country code`;
  // Longer than any number (ITU-T E.164 allows 15 digits), so that a pasted text is not parsed.
  const { country, callingCode, formatted = '', isValid } = numbers?.readNumber(to.slice(0, 17)) ?? {};
  if (country === undefined)
    return callingCode === undefined
      ? t`The country appears once its code is known`
      : t`+${callingCode}: several countries`;
  const name = countryName(country);
  return isValid ? t`${name}, ${{ number: formatted }}` : t`${name}: incomplete number`;
}

const loadCounting = () => import('./count-text.ts');

export function TextField({ form }: { form: Form<Draft> }) {
  const labels = draftLabels();
  const { channel, text } = form.values;
  const isSms = channel === 'sms';
  // A text longer than any that the service accepts is not counted.
  const isCountable = isSms && text !== '' && text.length <= 2 * limits.messageTextCharacters;
  const counted = useLate(loadCounting, isCountable)?.countText(isCountable ? text : '');
  const { error, ...field } = form.getInputProps('text');
  return (
    <div>
      <Textarea
        label={labels.text}
        autosize
        minRows={3}
        styles={spaced}
        maxRows={10}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        description={isSms ? smsHint(text, counted) : callHint(text)}
        {...field}
        error={error ?? (isSms ? smsError(counted) : callError(text))}
      />
      {isSms && counted && counted.foreign.length > 0 && (
        <Text size="sm" mt={6}>
          {foreignNote(counted)}{' '}
          {counted.plain && (
            <Anchor
              component="button"
              type="button"
              inherit
              underline="always"
              onClick={() => form.setFieldValue('text', counted.plain?.text ?? text)}
            >
              {plural(
                { segments: counted.plain.segments },
                { one: 'Use plain punctuation: # segment', other: 'Use plain punctuation: # segments' },
              )}
            </Anchor>
          )}
        </Text>
      )}
    </div>
  );
}

function smsHint(text: string, counted: CountedText | undefined) {
  if (text === '' || !counted) return t`Up to 160 characters in one segment, or 70 with an emoji or another alphabet`;
  const { encoding, segments, fills } = counted;
  const [used, capacity] = [formatWhole(counted.units), formatWhole(counted.capacity)];
  return (
    <span className="number">
      <SegmentMeter fills={fills} />
      {plural(segments, {
        one: `${used} of ${capacity} characters, ${encoding}, # segment`,
        other: `${used} of ${capacity} characters, ${encoding}, # segments`,
      })}
    </span>
  );
}

function smsError(counted: CountedText | undefined): string | undefined {
  if (!counted || counted.segments <= limits.messageSegments) return undefined;
  const { segments, encoding } = counted;
  const most = limits.messageSegments;
  return plural(segments, {
    one: `Text would be # segment in ${encoding}; an SMS may have at most ${most}`,
    other: `Text would be # segments in ${encoding}; an SMS may have at most ${most}`,
  });
}

const charactersOf = (text: string): number => Array.from(text).length;

const callHint = (text: string) => (
  <span className="number">
    <Trans>
      {{ used: formatWhole(charactersOf(text)) }} of {{ limit: formatWhole(limits.callCharacters) }} characters, played
      when the call is picked up
    </Trans>
  </span>
);

const callError = (text: string): string | undefined =>
  charactersOf(text) > limits.callCharacters
    ? t`Text must have at most ${{ limit: formatWhole(limits.callCharacters) }} characters for a call`
    : undefined;

/** A text with more of these characters is probably in another script, so they are not all listed. */
const maxStray = 2;

/** Explains which characters require UCS-2. */
function foreignNote({ foreign }: CountedText): string {
  if (foreign.length <= maxStray) {
    const characters = formatItems(foreign.map(nameOf));
    return t`UCS-2 because of ${characters}, so a segment holds 70 characters instead of 160.`;
  }
  const characters = formatItems(foreign.filter(isVisible).slice(0, maxStray).map(isolated));
  return characters === ''
    ? t`Invisible characters in it need Unicode (UCS-2): 70 characters per segment instead of 160.`
    : t`Characters such as ${characters} need Unicode (UCS-2): 70 characters per segment instead of 160.`;
}

const isVisible = (character: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(character);
/** Isolates the direction of a character from the sentence (U+2068, U+2069). */
const isolated = (character: string): string => `\u2068${character}\u2069`;

/** The character if visible, with its code points. */
function nameOf(character: string): string {
  const points = Array.from(character, (one) => `U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`);
  const code = points.slice(0, 3).join(' ') + (points.length > 3 ? ' …' : '');
  return isVisible(character) ? `${isolated(character)} (${code})` : code;
}

function SegmentMeter({ fills }: { fills: readonly number[] }) {
  const isTooLong = fills.length > limits.messageSegments;
  return (
    <span className={css.meter} data-full={isTooLong} aria-hidden="true">
      {Array.from({ length: limits.messageSegments }, (_, index) => (
        <span key={index}>
          <span style={{ inlineSize: `${100 * (isTooLong ? 1 : (fills[index] ?? 0))}%` }} />
        </span>
      ))}
    </span>
  );
}

/** Styles of a field with its error below the input. */
const spaced = { error: { marginTop: 4 } };
