import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { formatNames, voiceIds } from '#contract/audio/speech.ts';
import { documentAccount } from '../../../../api/account/account.ts';
import { recall, remember } from '../../../../api/account/tab-memory.ts';

const SpeechDraft = v.object({
  text: v.string(),
  voice: v.picklist(voiceIds),
  format: v.picklist(formatNames),
  speed: v.number(),
});
export type SpeechDraft = v.InferOutput<typeof SpeechDraft>;

const example: SpeechDraft = {
  text: 'Good morning. These words were written a moment ago, and now you can hear them.',
  voice: 'alloy',
  format: 'mp3',
  speed: 1,
};

/** The text of this tab and how it is to be spoken, which survives navigation and reload, and ends with the session. */
export function useSpeechDraft(): readonly [SpeechDraft, (change: Partial<SpeechDraft>) => void] {
  const account = documentAccount();
  const [draft, setDraft] = useState(() =>
    account === undefined ? example : (recall(account, SpeechDraft, 'speech') ?? example),
  );
  useEffect(() => {
    if (account !== undefined) remember(account, draft, 'speech');
  }, [account, draft]);
  return [draft, (change) => setDraft((before) => ({ ...before, ...change }))];
}
