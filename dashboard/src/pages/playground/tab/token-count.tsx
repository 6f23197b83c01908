import { Text } from '@mantine/core';
import { useDeferredValue, useMemo } from 'react';
import { formatWhole } from '../../../lib/format.ts';
import { estimateTokens } from './estimate-tokens.ts';

interface TokenCountProps {
  /** Distinguishes several counts. */
  readonly label?: string | undefined;
  readonly texts: readonly string[];
  /** Tokens that the request adds to the texts. */
  readonly extra?: number;
  readonly contextWindow: number;
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

/** Estimated tokens of a request against the context window, which the response shares. */
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
