import * as v from 'valibot';
import { channels } from '#contract/messages/channels.ts';
import { type Message, NewMessage } from '#contract/messages/messages.ts';
import { callVoices, defaultVoice } from '#contract/messages/voices.ts';

/** What is typed. */
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

/** A number as people write and paste it, in E.164: without blanks, brackets and marks of direction, `00` as `+`. */
export const e164Of = (typed: string): string =>
  typed
    .normalize('NFKC')
    .replaceAll(/[\s()./\p{Pd}\p{Cf}]/gu, '')
    .replace(/^00/, '+');

/** The body of a draft: an empty reference is none, and an SMS has no voice. */
export const messageBody = ({ channel, to, text, voice, reference }: Draft) => ({
  channel,
  to: e164Of(to),
  text,
  ...(channel === 'voice_call' && { voice }),
  ...(reference.trim() !== '' && { reference }),
});

/** The body with an example in each field that is still empty. */
export const exampleBody = ({ to, text, ...draft }: Draft) =>
  messageBody({
    ...draft,
    to: to.trim() === '' ? '+14155550100' : to,
    text: text.trim() === '' ? 'Your order is on its way.' : text,
  });

/** A new message like one that was sent. */
export const draftLike = ({ channel, to, text, voice, reference }: v.InferOutput<typeof Message>): Draft => ({
  channel,
  to,
  text,
  voice: v.is(Draft.entries.voice, voice) ? voice : defaultVoice,
  reference: reference ?? '',
});

/** The contract's schema of the body, for a draft. */
export const draftSchema = v.pipe(
  v.custom<Draft>(() => true),
  v.transform((draft): unknown => messageBody(draft)),
  NewMessage,
);
