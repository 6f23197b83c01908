import { describe, expect, it } from 'vitest';
import { defaultOffer } from '#contract/offer/default-offer.ts';
import type { Product } from '#contract/offer/offer.ts';
import type { AuditEvent } from '#contract/operators/operators.ts';
import type { Account } from '#domain/accounts/account.ts';
import { acceptedNow, type AcceptedTerms, termsService, termsView } from '#domain/accounts/terms.ts';

const account: Account = { id: 7, email: 'ada@example.com', name: 'Ada', role: 'viewer', createdAt: 1 };
const product = (termsVersion: number, links: Product['links']): Product => ({
  ...defaultOffer.product,
  termsVersion,
  links,
});
const terms = { terms: 'https://acme.example/terms' };

describe('the terms of an offer', () => {
  it.each<[what: string, links: Product['links'], isAccepted: boolean]>([
    ['terms', terms, true],
    ['only a privacy policy', { privacy: 'https://acme.example/privacy' }, true],
    ['other links', { status: 'https://acme.example/status' }, false],
  ])('with %s are accepted by registering if they exist', (_, links, isAccepted) => {
    const accepted = acceptedNow(5000, product(3, links));
    expect(accepted).toEqual(isAccepted ? { terms: { version: 3, at: 5000 } } : {});
    expect(termsView({ ...account, ...accepted }, product(3, links))).toEqual(
      isAccepted ? { version: 3, acceptedVersion: 3, acceptedAt: '1970-01-01T00:00:05.000Z' } : undefined,
    );
  });

  it('show an earlier version, or that the account accepted none', () => {
    const now = product(2, terms);
    expect(termsView(account, now)).toEqual({ version: 2, acceptedVersion: null, acceptedAt: null });
    expect(termsView({ ...account, terms: { version: 1, at: 0 } }, now)).toMatchObject({ acceptedVersion: 1 });
  });

  it('are recorded with an audit event of the earlier and the accepted version', async () => {
    const written: [AcceptedTerms, AuditEvent][] = [];
    const store = { accept: async (...given: [AcceptedTerms, AuditEvent]) => written.push(given) > 0 };
    const { accept } = termsService(store, { now: () => 9000 }, product(2, terms));
    await accept({ ...account, terms: { version: 1, at: 0 } }, 2, 'req-1');
    expect(written).toEqual([
      [
        { version: 2, at: 9000 },
        {
          accountId: 7,
          action: 'accept_terms',
          reason: 'accepted by the owner',
          at: 9000,
          requestId: 'req-1',
          before: { termsVersion: 1 },
          after: { termsVersion: 2 },
        },
      ],
    ]);
    await expect(accept(account, 1, 'req-2')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await expect(accept(account, 3, 'req-3')).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(written).toHaveLength(1);
  });
});
