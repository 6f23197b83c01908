import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { messageRoutes } from '#contract/routes/messages.ts';
import { call } from '../../../api/call.ts';
import { useApiForm } from '../../../api/forms/use-api-form.ts';
import { toApiError } from '../../../api/http/api-error.ts';
import { spendingReads } from '../../../api/reads.ts';
import { useOnce } from '../../../api/use-once.ts';
import type { MessageRecord } from '../message.tsx';
import { type Draft, draftLabels, draftSchema, emptyDraft, messageBody } from './draft.ts';
import { keepDraft, keptDraft } from './kept-draft.ts';

export interface ComposerOptions {
  /** What it begins with; else what was typed before. */
  readonly initial: Draft | undefined;
  /** A message is being sent: what became of the one before is no longer of interest. */
  readonly onSending: () => void;
  readonly onSent: (message: MessageRecord) => void;
  /** Whether the last attempt has reached the service. */
  readonly onReached: (isReached: boolean) => void;
}

/** What sending changes. */
const messageReads = [messageRoutes.listMessages, ...spendingReads];

/** The fields of a new message. What is typed and not sent outlives navigation and reload. */
export function useComposer({ initial, onSending, onSent, onReached }: ComposerOptions) {
  const client = useQueryClient();
  const once = useOnce();
  /** What the fields have that is no draft: nothing, then what stays after sending. */
  const [rest, setRest] = useState<Draft>(emptyDraft);
  const { form, submit, isRunning, error } = useApiForm({
    initial: initial ?? keptDraft(),
    schema: draftSchema,
    labels: draftLabels,
    act: send,
    onDone: (message, sent) => {
      const left = { ...sent, text: '', reference: '' };
      form.setValues(left);
      setRest(left);
      onSent(message);
    },
    fieldOf: { RECIPIENT_OPTED_OUT: { field: 'to' } },
  });

  async function send(draft: Draft): Promise<MessageRecord> {
    const body = messageBody(draft);
    onSending();
    try {
      const message = await once(body, (key) => call(messageRoutes.sendMessage, { body }, { idempotencyKey: key }));
      onReached(true);
      return message;
    } catch (error) {
      onReached(toApiError(error).status > 0);
      throw error;
    } finally {
      // What the carrier refused is listed too.
      for (const { id } of messageReads) void client.invalidateQueries({ queryKey: [id] });
    }
  }

  const { values } = form;
  // Left while it is sent, it would be found here again and sent twice.
  const draft = isRunning || isSame(values, rest) ? emptyDraft : values;
  useEffect(() => keepDraft(draft), [draft]);
  return { form, submit, isRunning, error };
}

const isSame = (one: Draft, other: Draft): boolean => JSON.stringify(one) === JSON.stringify(other);
