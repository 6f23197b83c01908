import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { findModel } from '#contract/inference/models.ts';
import { TokenCount } from '../tab/token-count.tsx';
import css from './chat.module.css';
import type { Items } from './thread.ts';
import type { Chat, Thread } from './use-chat.ts';

interface PromptTokensProps {
  readonly chat: Chat;
  /** What is being typed. */
  readonly text: string;
}

/** About how many tokens the next request has, for each model that gets it. */
export function PromptTokens({ chat: { draft, threads }, text }: PromptTokensProps) {
  const isCompared = threads.length > 1;
  const { system, functions } = draft;
  return (
    <div className={css.tokens}>
      {threads.map((thread) => (
        <ThreadTokens
          key={thread.place}
          thread={thread}
          label={isCompared ? thread.model : undefined}
          system={system}
          functions={functions}
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
  readonly text: string;
}

function ThreadTokens({ thread: { model, items, exchange }, label, system, functions, text }: ThreadTokensProps) {
  const settled = useSettled(items, !exchange.isRunning);
  const texts = useMemo(
    () => promptTexts({ system, functions, items: settled, text }),
    [system, functions, settled, text],
  );
  const contextWindow = findModel(model, 'chat')?.contextWindow ?? 0;
  return <TokenCount label={label} texts={texts} extra={promptTokens(texts)} contextWindow={contextWindow} />;
}

/** The items as they were when they last stood still: a response that grows is counted once, at its end. */
function useSettled(items: Items, isStill: boolean): Items {
  const [settled, setSettled] = useState(items);
  if (isStill && settled !== items) setSettled(items);
  return isStill ? items : settled;
}

interface Prompt {
  readonly system: string;
  readonly functions: string;
  readonly items: Items;
  /** What is being typed. */
  readonly text: string;
}

/** Around each message, and around the whole, as the service counts them (`domain/inference/chat.ts`). */
const perMessage = 4;
const perRequest = 3;

/** The texts of the next request that tokens are counted of. */
function promptTexts({ system, functions, items, text }: Prompt): string[] {
  const written = items.flatMap(({ message }) => {
    const call = message.role === 'assistant' ? message.function_call : undefined;
    return [(message.content ?? '') + (call ? call.name + call.arguments : '')];
  });
  return [system, ...written, text, functions].filter((one) => one !== '');
}

/** Tokens that a request adds to those of its texts. */
const promptTokens = (texts: readonly string[]): number => perRequest + perMessage * texts.length;
