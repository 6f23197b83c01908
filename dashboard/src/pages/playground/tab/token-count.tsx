import { Text } from '@mantine/core';
import { useDeferredValue, useMemo } from 'react';
import { callCost } from '#contract/billing/cost.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { findModel, type Model } from '#contract/inference/models.ts';
import { useNow } from '../../../api/config.ts';
import { creditCount, formatCredits, formatWhole } from '../../../lib/format.ts';
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
        {label !== undefined && `${label}: `}
        {label === undefined ? 'About' : 'about'} {formatWhole(tokens)} of {formatWhole(contextWindow)} tokens
        {isTooMany && ': longer than the context window'}
      </Text>
      {model && !isTooMany && (
        <Text size="xs" c="dimmed" className="number">
          {costText(model, call, tokens, now)}
        </Text>
      )}
    </div>
  );
}

/** "Costs 1 credit", or "Costs up to 0.012 credits" if that depends on the response. */
function costText(model: Model, { service, sampling, defaultMaxTokens }: EstimatedCall, input: number, now: number) {
  const { maxTokens } = sampling;
  const wanted = typeof maxTokens === 'number' ? maxTokens : Math.min(defaultMaxTokens, model.maxOutputTokens);
  const output = Math.min(wanted, model.contextWindow - input);
  const cost = (tokens: number) => callCost(model, service, { input, output: tokens }, now);
  const most = creditCount(cost(output) / microPerCredit, formatCredits);
  return cost(0) === cost(output) ? `Costs ${most}` : `Costs up to ${most}`;
}
