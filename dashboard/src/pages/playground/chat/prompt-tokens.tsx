import { Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { findModel } from '#contract/inference/models.ts';
import { TokenCount } from '../tokens/token-count.tsx';
import css from './chat.module.css';
import { promptTexts, promptTokens } from './state/prompt-texts.ts';
import type { Items } from './state/thread.ts';
import type { Chat, Thread } from './state/use-chat.ts';

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
