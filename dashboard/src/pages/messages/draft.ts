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

export const draftLabels = {
  channel: 'Channel',
  to: 'Recipient',
  text: 'Text',
  voice: 'Voice',
  reference: 'Reference',
};

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
    text: text.trim() === '' ? 'Your order is on its way.' : text,
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
