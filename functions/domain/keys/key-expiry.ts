import { epochMs } from '#contract/shared/fields.ts';
import { ServiceError } from '../shared/service-error.ts';

/** The expiry of a record; `text` is in ISO 8601, null and undefined meaning never. */
export function expiryOf(text: string | null | undefined): { expiresAt?: number } {
  return text === null || text === undefined ? {} : { expiresAt: epochMs(text) };
}

/** Refuses (400) an expiry that is past, which no schema can: none knows what time it is. */
export function demandFuture(text: string | null | undefined, now: number): void {
  const { expiresAt } = expiryOf(text);
  if (expiresAt === undefined || expiresAt > now) return;
  throw new ServiceError('INVALID_FORMAT', 'expiresAt must be in the future.');
}
