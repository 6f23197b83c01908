import { callVoices } from '#contract/messages/voices.ts';
import type { CallVoice } from './draft.ts';

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

const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });
const titleOf = (voice: string): string => `${voice.charAt(0).toUpperCase()}${voice.slice(1)}`;

const byLanguage = Map.groupBy(callVoices, (voice) => names.of(languages[voice]) ?? languages[voice]);

export const voiceChoices = [...byLanguage]
  .toSorted(([one], [other]) => one.localeCompare(other))
  .map(([group, voices]) => ({
    group,
    items: voices.map((value) => ({ value, label: `${titleOf(value)}, ${group}` })),
  }));

export const isCallVoice = (name: string): name is CallVoice => Object.hasOwn(languages, name);
