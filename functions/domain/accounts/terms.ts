import { offer } from '#contract/offer/current-offer.ts';
import type { Product } from '#contract/offer/offer.ts';
import type { AuditEvent } from '#contract/operators/operators.ts';
import { iso } from '#contract/shared/time.ts';
import type { Clock } from '../shared/ports.ts';
import { ServiceError, unknownAccount } from '../shared/service-error.ts';
import type { Account } from './account.ts';

/** A version of terms and privacy policy that the owner accepted. `at` in epoch ms. */
export interface AcceptedTerms {
  readonly version: number;
  readonly at: number;
}

const hasTerms = ({ links }: Product): boolean => links.terms !== undefined || links.privacy !== undefined;

/** Terms that a new account accepts by registering. The page states this above the button. */
export const acceptedNow = (now: number, product = offer.product): Pick<Account, 'terms'> =>
  hasTerms(product) ? { terms: { version: product.termsVersion, at: now } } : {};

/** The current and the accepted version, or undefined if the offer has no terms. */
export function termsView({ terms }: Account, product = offer.product) {
  if (!hasTerms(product)) return undefined;
  const acceptedAt = terms ? iso(terms.at) : null;
  return { version: product.termsVersion, acceptedVersion: terms?.version ?? null, acceptedAt };
}

export interface TermsStore {
  /** Writes the acceptance and its audit event. Returns false if the account was deleted. */
  accept(terms: AcceptedTerms, event: AuditEvent): Promise<boolean>;
}

/** Records the acceptance of the current terms. Refuses another version, because the owner read another text. */
export function termsService(store: TermsStore, clock: Clock, { termsVersion } = offer.product) {
  async function accept(account: Account, version: number, requestId: string): Promise<void> {
    if (version !== termsVersion)
      throw new ServiceError('INVALID_STATE', `The current version of the terms is ${termsVersion}. Read it first.`);
    const at = clock.now();
    const event: AuditEvent = {
      accountId: account.id,
      action: 'accept_terms',
      reason: 'accepted by the owner',
      at,
      requestId,
      before: account.terms ? { termsVersion: account.terms.version } : {},
      after: { termsVersion: version },
    };
    if (!(await store.accept({ version, at }, event))) throw unknownAccount();
  }

  return { accept };
}
