import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import * as v from 'valibot';
import { type Message, NewMessage } from '#contract/messages/messages.ts';
import { channels } from '#contract/messages/names.ts';
import { callVoices, defaultVoice } from '#contract/messages/voices.ts';

export const Draft = v.object({
  channel: v.picklist(channels),
  to: v.string(),
  text: v.string(),
  voice: v.picklist(callVoices),
  reference: v.string(),
});
export type Draft = v.InferOutput<typeof Draft>;
export type CallVoice = Draft['voice'];

export const emptyDraft: Draft = { channel: 'sms', to: '', text: '', voice: defaultVoice, reference: '' };

export const draftLabels = () => ({
  channel: t`Channel`,
  to: t`Recipient`,
  text: t({ message: 'Text', context: 'message' }),
  voice: t`Voice`,
  reference: t`Reference`,
});

/** Normalizes a typed number to E.164: removes spaces, brackets, dashes and direction marks; `00` becomes `+`. */
export const e164Of = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replaceAll(/[\s()./\p{Pd}\p{Cf}]/gu, '')
    .replace(/^00/, '+');

/** Request body. Omits an empty reference, and the voice of an SMS. */
export const messageBody = ({ channel, to, text, voice, reference }: Draft) => ({
  channel,
  to: e164Of(to),
  text,
  ...(channel === 'voice_call' && { voice }),
  ...(reference.trim() !== '' && { reference }),
});

/** Request body with examples in place of empty fields. */
export const exampleBody = ({ to, text, ...draft }: Draft) =>
  messageBody({
    ...draft,
    to: to.trim() === '' ? '+14155550100' : to,
    text:
      text.trim() === ''
        ? t({ message: 'Your order is on its way.', comment: 'Text of a message in sample code' })
        : text,
  });

/** Draft that repeats a sent message. */
export const draftLike = ({ channel, to, text, voice, reference }: v.InferOutput<typeof Message>): Draft => ({
  channel,
  to,
  text,
  voice: v.is(Draft.entries.voice, voice) ? voice : defaultVoice,
  reference: reference ?? '',
});

export const draftSchema = v.pipe(
  v.custom<Draft>(() => true),
  v.transform((draft): unknown => messageBody(draft)),
  NewMessage,
);

/** Languages of the voices (Amazon Polly, "Available voices"). */
const languages: Readonly<Record<CallVoice, string>> = {
  amy: 'en-GB',
  astrid: 'sv-SE',
  bianca: 'it-IT',
  brian: 'en-GB',
  camila: 'pt-BR',
  carla: 'it-IT',
  carmen: 'ro-RO',
  celine: 'fr-FR',
  chantal: 'fr-CA',
  conchita: 'es-ES',
  cristiano: 'pt-PT',
  dora: 'is-IS',
  emma: 'en-GB',
  enrique: 'es-ES',
  ewa: 'pl-PL',
  filiz: 'tr-TR',
  geraint: 'en-GB',
  giorgio: 'it-IT',
  gwyneth: 'cy-GB',
  hans: 'de-DE',
  ines: 'pt-PT',
  ivy: 'en-US',
  jacek: 'pl-PL',
  jan: 'pl-PL',
  joanna: 'en-US',
  joey: 'en-US',
  justin: 'en-US',
  karl: 'is-IS',
  kendra: 'en-US',
  kimberly: 'en-US',
  lea: 'fr-FR',
  liv: 'nb-NO',
  lotte: 'nl-NL',
  lucia: 'es-ES',
  lupe: 'es-US',
  mads: 'da-DK',
  maja: 'pl-PL',
  marlene: 'de-DE',
  mathieu: 'fr-FR',
  matthew: 'en-US',
  maxim: 'ru-RU',
  mia: 'es-MX',
  miguel: 'es-US',
  mizuki: 'ja-JP',
  naja: 'da-DK',
  nicole: 'en-AU',
  penelope: 'es-US',
  raveena: 'en-IN',
  ricardo: 'pt-BR',
  ruben: 'nl-NL',
  russell: 'en-AU',
  salli: 'en-US',
  seoyeon: 'ko-KR',
  takumi: 'ja-JP',
  tatyana: 'ru-RU',
  vicki: 'de-DE',
  vitoria: 'pt-BR',
  zeina: 'arb',
  zhiyu: 'cmn',
};

const titleOf = (voice: string): string => `${voice.charAt(0).toUpperCase()}${voice.slice(1)}`;

/** The voices by language, with its name in the language of the page. */
export function voiceChoices() {
  const names = new Intl.DisplayNames(i18n.locale, { type: 'language', languageDisplay: 'standard' });
  const byLanguage = Map.groupBy(callVoices, (voice) => names.of(languages[voice]) ?? languages[voice]);
  return [...byLanguage]
    .toSorted(([one], [other]) => one.localeCompare(other, i18n.locale))
    .map(([group, voices]) => ({
      group,
      items: voices.map((value) => ({ value, label: t`${{ voice: titleOf(value) }}, ${{ language: group }}` })),
    }));
}

export const isCallVoice = (name: string): name is CallVoice => Object.hasOwn(languages, name);
