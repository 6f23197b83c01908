import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg, t } from '@lingui/core/macro';
import type { InferOutput } from 'valibot';
import * as v from 'valibot';
import { type Message, type MessageStatus, NewMessage, callVoices, defaultVoice } from '#contract/messages/messages.ts';
import { type Channel, type Failure, channels } from '#contract/messages/names.ts';

export type MessageRecord = InferOutput<typeof Message>;

const channelTitles: Readonly<Record<Channel, MessageDescriptor>> = { sms: msg`SMS`, voice_call: msg`Voice call` };
export const channelTitle = (channel: Channel): string => i18n._(channelTitles[channel]);

const statuses: Readonly<Record<MessageStatus, readonly [title: MessageDescriptor, color: string]>> = {
  queued: [msg({ message: 'Queued', context: 'message' }), 'gray'],
  sent: [msg({ message: 'Sent', context: 'message' }), 'gray'],
  unknown: [msg({ message: 'Unknown', context: 'message' }), 'yellow.8'],
  delivered: [msg({ message: 'Delivered', context: 'message' }), 'pine'],
  undelivered: [msg({ message: 'Undelivered', context: 'message' }), 'red'],
  failed: [msg({ message: 'Failed', context: 'message' }), 'red'],
};

export function statusLabel(status: MessageStatus): { readonly title: string; readonly color: string } {
  const [title, color] = statuses[status];
  return { title: i18n._(title), color };
}

/** Explains a status and the next step. A known failure reason replaces the general text. */
export function meaningOf({ channel, status, failure }: Pick<MessageRecord, 'channel' | 'status' | 'failure'>): string {
  const isCall = channel === 'voice_call';
  const reason = failure && i18n._(failureMeanings[failure]);
  const meanings: Readonly<Record<MessageStatus, () => string>> = {
    queued: () => t`The message is being sent to the carrier.`,
    sent: () => t`The carrier accepted the message. Some countries do not report delivery.`,
    unknown: () =>
      t`The carrier did not confirm the message, so it may have been delivered. It is not resent automatically. Check with the recipient.`,
    delivered: () =>
      isCall
        ? t`The recipient picked up and the full text was played.`
        : t`The carrier reported delivery to the phone.`,
    undelivered: () => reason ?? (isCall ? t`No one picked up.` : t`The carrier could not deliver the message.`),
    failed: () => `${reason ?? t`The message was not sent to the carrier.`} ${t`Nothing was charged.`}`,
  };
  return meanings[status]();
}

/** Name of an ISO 3166-1 country code in the language of the page. */
export const countryName = (code: string): string =>
  new Intl.DisplayNames(i18n.locale, { type: 'region' }).of(code) ?? code;

/** Explanations of failures, with the next step. */
export const failureMeanings: Readonly<Record<Failure, MessageDescriptor>> = {
  opted_out: msg`The recipient has opted out and must opt in again first.`,
  number_invalid: msg`The number cannot receive messages. Check it with the recipient.`,
  number_blocked: msg`Messages to this number are blocked. Use another one.`,
  country_blocked: msg`Messages to this country are blocked. Use another number.`,
  price: msg`Sending to this number costs more than the price limit per message. Use another number.`,
  text_invalid: msg`The carrier does not accept this text. Change it, then send it again.`,
  fraud_blocked: msg`Blocked by fraud protection. Use another number.`,
  throttled: msg`The carrier was receiving too many messages. Send it again.`,
  carrier: msg`The carrier had a problem. Send it again later.`,
  blocked: msg`The recipient’s phone or carrier blocks your messages. Contact them another way.`,
  carrier_blocked: msg`The recipient’s carrier blocked the message. Contact them another way.`,
  spam: msg`The recipient’s carrier marked the message as spam. Change the text, then send it again.`,
  unreachable: msg`The phone was off or unreachable. Send it again later.`,
  expired: msg`The phone was off or unreachable for too long. Send it again later.`,
  busy: msg`The line was busy. Call again later.`,
  no_answer: msg`No one picked up. Call again later.`,
};

/** Failures that would occur again, so the page does not offer to resend the message. */
const final: ReadonlySet<Failure> = new Set([
  'opted_out',
  'number_invalid',
  'number_blocked',
  'country_blocked',
  'price',
  'fraud_blocked',
  'blocked',
  'carrier_blocked',
]);

export const isFinal = (failure: Failure | null): boolean => failure !== null && final.has(failure);

const second = 1000;
const minute = 60 * second;

/** Polling intervals by age of a message, in ms. After 15 minutes a pending message rarely changes. */
const polls = [
  { until: 30 * second, every: second },
  { until: 3 * minute, every: 3 * second },
  { until: 15 * minute, every: 15 * second },
] as const;

/** Returns the interval for reloading messages in ms, or false if none is pending. `now` is in ms since the epoch. */
export function pollMsOf(
  messages: readonly Pick<MessageRecord, 'status' | 'createdAt'>[],
  now: number,
): number | false {
  const moving = messages.filter(({ status }) => status === 'queued' || status === 'sent');
  const age = now - Math.max(...moving.map(({ createdAt }) => Date.parse(createdAt)));
  return polls.find(({ until }) => age < until)?.every ?? false;
}

/** Results by the last two digits of a number in local mode (docs/guides/messages.md#test-numbers). */
export const testDigits = () =>
  [
    ['02', t({ message: 'Undelivered', context: 'message' })],
    ['03', t`Failed: the recipient has opted out`],
    ['04', t`Unknown, as the carrier does not respond`],
    ['05', t`Failed: the carrier is down`],
    ['06', t`Failed: costs too much`],
    ['07', t`Delivered, with duplicate and late receipts`],
    ['08', t`Failed after it was sent, then refunded`],
    [t({ message: 'others', context: 'digits' }), t({ message: 'Delivered', context: 'message' })],
  ] as const;

const areaCodes = [206, 212, 312, 415, 617];

/** Fictitious US numbers (555-0100 to 555-0199) whose messages are delivered. */
export const testNumbers = areaCodes.flatMap((area) =>
  Array.from({ length: 90 }, (_, index) => `+1${area}55501${10 + index}`),
);

/** Returns a different number each time: fraud limits count messages per number. */
export function nextTestNumber(before: string): string {
  const others = testNumbers.filter((number) => number !== before);
  return others[Math.floor(Math.random() * others.length)] ?? before;
}

export const Draft = v.object({
  channel: v.picklist(channels),
  to: v.string(),
  text: v.string(),
  voice: v.picklist(callVoices),
  reference: v.string(),
});
export type Draft = v.InferOutput<typeof Draft>;
type CallVoice = Draft['voice'];

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
