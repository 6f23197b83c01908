import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { Sampling } from '../tab/sampling.ts';
import { TokenCount } from '../tab/token-count.tsx';
import css from './chat.module.css';
import type { Items } from './thread.ts';
import type { Chat, Thread } from './use-chat.ts';

interface PromptTokensProps {
  readonly chat: Chat;
  /** Text being typed. */
  readonly text: string;
}

/** Estimated tokens of the next request, for each model. */
export function PromptTokens({ chat: { draft, threads }, text }: PromptTokensProps) {
  const isCompared = threads.length > 1;
  const { system, functions, sampling } = draft;
  return (
    <div className={css.tokens}>
      {threads.map((thread) => (
        <ThreadTokens
          key={thread.place}
          thread={thread}
          label={isCompared ? thread.model : undefined}
          system={system}
          functions={functions}
          sampling={sampling}
          text={text}
        />
      ))}
      {isCompared && (
        <Text size="xs" c="dimmed">
          Each message goes to both models, and both responses are charged.
        </Text>
      )}
    </div>
  );
}

interface ThreadTokensProps {
  readonly thread: Thread;
  readonly label: string | undefined;
  readonly system: string;
  readonly functions: string;
  readonly sampling: Sampling;
  readonly text: string;
}

/** Default maximum of tokens in a reply (docs/guides/chat.md#parameters). */
export const defaultMaxTokens = 1024;

function ThreadTokens(props: ThreadTokensProps) {
  const { thread, label, system, functions, sampling, text } = props;
  const { model, items, exchange } = thread;
  const settled = useSettled(items, !exchange.isRunning);
  const texts = useMemo(
    () => promptTexts({ system, functions, items: settled, text }),
    [system, functions, settled, text],
  );
  const call = { service: 'chat', sampling: { ...sampling, model }, defaultMaxTokens } as const;
  return <TokenCount label={label} texts={texts} extra={promptTokens(texts)} call={call} />;
}

/** The items when no response was last streaming, so that a growing response is not counted repeatedly. */
function useSettled(items: Items, isStill: boolean): Items {
  const [settled, setSettled] = useState(items);
  if (isStill && settled !== items) setSettled(items);
  return isStill ? items : settled;
}

interface Prompt {
  readonly system: string;
  readonly functions: string;
  readonly items: Items;
  readonly text: string;
}

/** Tokens that the service adds per message and per request (`domain/inference/chat.ts`). */
const perMessage = 4;
const perRequest = 3;

function promptTexts({ system, functions, items, text }: Prompt): string[] {
  const written = items.flatMap(({ message }) => {
    const call = message.role === 'assistant' ? message.function_call : undefined;
    return [(message.content ?? '') + (call ? call.name + call.arguments : '')];
  });
  return [system, ...written, text, functions].filter((one) => one !== '');
}

const promptTokens = (texts: readonly string[]): number => perRequest + perMessage * texts.length;
