import type { InferOutput } from 'valibot';
import type { Plans } from '#contract/billing/plans.ts';
import { shownMails } from '#contract/operators/mails.ts';
import type { RequestQuery } from '#contract/requests/request-list.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { normalizedEmail } from '../accounts/account.ts';
import type { statementService } from '../billing/statements.ts';
import type { KeyService } from '../keys/key-service.ts';
import type { MailHistory, MailNote } from '../mail/mail-history.ts';
import type { SuppressionStore } from '../mail/suppression.ts';
import type { Metering } from '../meter/metering.ts';
import type { requestLog } from '../requests/request-log.ts';
import type { Clock } from '../shared/ports.ts';
import { accountDetails } from './account-details.ts';
import { existing } from './operated-account.ts';

/** Each part is built where it is first needed: a function is given the tables of what it reads only. */
interface Parts {
  readonly accounts: AccountStore;
  readonly metering: () => Metering;
  readonly plans: Plans;
  readonly statements: () => Promise<ReturnType<typeof statementService>>;
  readonly keys: () => KeyService;
  readonly mails: () => MailHistory;
  readonly suppressions: () => SuppressionStore;
  readonly requests: () => Promise<ReturnType<typeof requestLog>>;
  readonly clock: Clock;
}

/** What operators see of an account. It is there until it is purged, 30 days after it was deleted. */
export function accountReads(parts: Parts) {
  const { accounts, metering, plans, clock } = parts;
  const account = async (accountId: number) => existing(await accounts.find(accountId));

  async function details(accountId: number) {
    const found = await account(accountId);
    const now = clock.now();
    return accountDetails(found, await metering().current(accountId, now), plans, now);
  }

  async function entries(accountId: number, query: { limit: number; cursor?: string | undefined }) {
    await account(accountId);
    const { page } = await parts.statements();
    const seq = metering()
      .find(accountId)
      .then((meter) => meter?.seq ?? 0);
    return page(accountId, seq, query);
  }

  async function keys(accountId: number) {
    await account(accountId);
    return parts.keys().list(accountId);
  }

  async function mails(accountId: number) {
    const { email } = await account(accountId);
    const [notes, suppression] = await Promise.all([
      parts.mails().recent(accountId, shownMails, clock.now()),
      parts.suppressions().find(normalizedEmail(email)),
    ]);
    return {
      mails: notes.map(shownMail),
      suppression: suppression ? { ...suppression, at: new Date(suppression.at).toISOString() } : null,
    };
  }

  async function requests(accountId: number, query: InferOutput<typeof RequestQuery>) {
    await account(accountId);
    return (await parts.requests()).list(accountId, query);
  }

  return { details, entries, keys, mails, requests };
}

function shownMail({ subject, createdAt, state, closedAt }: MailNote) {
  return {
    subject,
    at: new Date(createdAt).toISOString(),
    state,
    stateAt: closedAt === undefined ? null : new Date(closedAt).toISOString(),
  };
}
