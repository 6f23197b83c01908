import * as v from 'valibot';
import type { Channel } from '#contract/messages/channels.ts';
import { NewMessage } from '#contract/messages/messages.ts';
import { type callVoices, defaultVoice } from '#contract/messages/voices.ts';

export type CallVoice = (typeof callVoices)[number];

/** What is typed. */
export type Draft = {
  channel: Channel;
  to: string;
  text: string;
  voice: CallVoice;
  reference: string;
};

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

/** The contract's schema of the body, for a draft. */
export const draftSchema = v.pipe(
  v.custom<Draft>(() => true),
  v.transform((draft): unknown => messageBody(draft)),
  NewMessage,
);
