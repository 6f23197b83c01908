import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useDeferredValue, useMemo, useState } from 'react';
import { callCost, microPerCredit } from '#contract/billing/prices.ts';
import { findModel, type Model } from '#contract/inference/models.ts';
import { useNow } from '../../../api/config.ts';
import { creditCount, formatCredits, formatWhole } from '../../../lib/format.ts';
import css from '../chat/chat.module.css';
import type { Items } from '../chat/thread.ts';
import type { Chat, Thread } from '../chat/use-chat.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { Sampling } from './sampling.ts';

interface TokenCountProps {
  /** Distinguishes several counts. */
  readonly label?: string | undefined;
  readonly texts: readonly string[];
  /** Tokens that the request adds to the texts. */
  readonly extra?: number;
  readonly call: EstimatedCall;
}

interface EstimatedCall {
  readonly service: 'chat' | 'completion';
  readonly sampling: Sampling;
  readonly defaultMaxTokens: number;
}

/** Cached estimates: most texts of a conversation do not change while typing. */
const estimates = new Map<string, number>();
const maxEstimates = 500;

function estimateOf(text: string): number {
  const known = estimates.get(text);
  if (known !== undefined) return known;
  if (estimates.size >= maxEstimates) estimates.clear();
  const tokens = estimateTokens(text);
  estimates.set(text, tokens);
  return tokens;
}

/** Estimated tokens of a request against the context window, which the response shares, and its maximum cost. */
export function TokenCount({ label, texts, extra = 0, call }: TokenCountProps) {
  const now = useNow();
  const model = findModel(call.sampling.model, call.service);
  const contextWindow = model?.contextWindow ?? 0;
  const shown = useDeferredValue(texts);
  const tokens = useMemo(() => shown.reduce((sum, text) => sum + estimateOf(text), extra), [shown, extra]);
  const isTooMany = tokens >= contextWindow;
  return (
    <div>
      <Text size="xs" c={isTooMany ? 'var(--mantine-color-error)' : 'dimmed'} className="number">
        {usageText(label, formatWhole(tokens), formatWhole(contextWindow), isTooMany)}
      </Text>
      {model && !isTooMany && (
        <Text size="xs" c="dimmed" className="number">
          {costText(model, call, tokens, now)}
        </Text>
      )}
    </div>
  );
}

function usageText(model: string | undefined, tokens: string, limit: string, isTooMany: boolean): string {
  if (model === undefined)
    return isTooMany
      ? t`About ${tokens} of ${limit} tokens: longer than the context window`
      : t`About ${tokens} of ${limit} tokens`;
  return isTooMany
    ? t`${model}: about ${tokens} of ${limit} tokens: longer than the context window`
    : t`${model}: about ${tokens} of ${limit} tokens`;
}

/** "Costs 1 credit", or "Costs up to 0.012 credits" if that depends on the response. */
function costText(model: Model, { service, sampling, defaultMaxTokens }: EstimatedCall, input: number, now: number) {
  const { maxTokens } = sampling;
  const wanted = typeof maxTokens === 'number' ? maxTokens : Math.min(defaultMaxTokens, model.maxOutputTokens);
  const output = Math.min(wanted, model.contextWindow - input);
  const cost = (tokens: number) => callCost(model, service, { input, output: tokens }, now);
  const most = creditCount(cost(output) / microPerCredit, formatCredits);
  return cost(0) === cost(output) ? t`Costs ${{ credits: most }}` : t`Costs up to ${{ credits: most }}`;
}

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
          <Trans>Each message goes to both models, and both responses are charged.</Trans>
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

/**
 * The items as of the last time that no response was streaming, so that a growing response is not counted repeatedly.
 */
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
