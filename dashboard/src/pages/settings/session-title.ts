import type { InferOutput } from 'valibot';
import type { SessionList } from '#contract/accounts/accounts.ts';

export type Session = InferOutput<typeof SessionList>[number];

const countries = new Intl.DisplayNames('en-GB', { type: 'region' });

/** "Firefox on Windows", as far as it is known. */
export function deviceTitle({ browser, system }: Session): string {
  if (browser === null) return system === null ? 'Unknown device' : `Unknown browser on ${system}`;
  return system === null ? browser : `${browser} on ${system}`;
}

/** The country of its network, as far as it is known. */
export function placeTitle({ country, isLocal }: Session): string {
  if (isLocal) return 'This machine';
  return (country !== null && /^[A-Z]{2}$/.test(country) && countries.of(country)) || 'Unknown location';
}
