import type { InferInput } from 'valibot';
import type { AccountQuery } from '#contract/operators/accounts.ts';

/** Of a key, no more than lists show of it: the rest is its owner's secret, which is sent nowhere. */
const shownCharacters = 17;

/** How to find an account by what was typed: an email address, an account id, or a key or its beginning. */
export function accountQueryOf(typed: string): InferInput<typeof AccountQuery> | undefined {
  const text = typed.trim();
  if (/^tai_[0-9A-Za-z]{9,}…?/.test(text)) return { keyPrefix: text.slice(0, shownCharacters).replace(/….*$/, '') };
  if (/^[1-9]\d{0,15}$/.test(text)) return { id: text };
  return text.includes('@') ? { email: text } : undefined;
}
