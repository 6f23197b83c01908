import { Text } from '@mantine/core';
import { useDeferredValue, useMemo } from 'react';
import { formatWhole } from '../../../lib/format.ts';
import { estimateTokens } from './estimate-tokens.ts';

interface TokenCountProps {
  /** Of what, where there are several. */
  readonly label?: string | undefined;
  readonly texts: readonly string[];
  /** What the request adds around the texts. */
  readonly extra?: number;
  /** Of the model that gets them. */
  readonly contextWindow: number;
}

/** Texts that are estimated once: those of a conversation stay while one types. */
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

/** About how many tokens a request will have, against the context window, which the response needs a part of too. */
export function TokenCount({ label, texts, extra = 0, contextWindow }: TokenCountProps) {
  const shown = useDeferredValue(texts);
  const tokens = useMemo(() => shown.reduce((sum, text) => sum + estimateOf(text), extra), [shown, extra]);
  const isTooMany = tokens >= contextWindow;
  return (
    <Text size="xs" c={isTooMany ? 'var(--mantine-color-error)' : 'dimmed'} className="number">
      {label !== undefined && `${label}: `}
      {label === undefined ? 'About' : 'about'} {formatWhole(tokens)} of {formatWhole(contextWindow)} tokens
      {isTooMany && ': longer than the context window'}
    </Text>
  );
}
