import type { InferOutput } from 'valibot';
import { planOfRank, type Plans } from '#contract/billing/plans.ts';
import { microPerCredit } from '#contract/billing/prices.ts';
import { type AccountQuery, shownHolds, shownMails } from '#contract/operators/operators.ts';
import type { PaymentQuery } from '#contract/payments/payments.ts';
import type { RequestQuery } from '#contract/requests/request-list.ts';
import { iso, isoOfSeconds, isoOrNull } from '#contract/shared/time.ts';
import { type Account, type AccountStore, normalizedEmail } from '../accounts/account.ts';
import type { statementService } from '../billing/statements.ts';
import { subscriptionView } from '../billing/subscriptions.ts';
import type { KeyService } from '../keys/key-service.ts';
import type { MailHistory, MailNote, SuppressionStore } from '../mail/mail.ts';
import { withCallsOf } from '../meter/lanes.ts';
import { currentLots } from '../meter/lots.ts';
import { heldCredits, type Meter } from '../meter/meter.ts';
import type { Metering } from '../meter/metering.ts';
import { periodEnd, periodStart } from '../meter/periods.ts';
import { rateStatus, unlimited } from '../meter/rate-window.ts';
import { isAlive, type Membership } from '../organizations/organization.ts';
import { type OrderStore, paymentView } from '../payments/order.ts';
import type { requestLog } from '../requests/request-log.ts';
import { accountOfKey } from '../shared/credential.ts';
import type { Clock } from '../shared/ports.ts';
import { unknownAccount } from '../shared/service-error.ts';
import { type WebhookStore, webhookView } from '../webhooks/webhook.ts';

export function operatedAccount(account: Account, { planRank }: Meter) {
  const { id, email, name, role, createdAt } = account;
  const created_at = iso(createdAt);
  return { id, email, name, role, status: statusOf(account), plan: planOfRank(planRank).name, created_at };
}

export function existing(account: Account | undefined): Account {
  if (!account) throw unknownAccount();
  return account;
}

export function accountSearch(accounts: AccountStore, metering: Metering, clock: Clock) {
  async function found({ email, id, keyPrefix }: InferOutput<typeof AccountQuery>): Promise<Account | undefined> {
    if (email !== undefined) return accounts.findByEmail(normalizedEmail(email));
    const accountId = id ?? accountOfKey(keyPrefix ?? '');
    return accountId === undefined ? undefined : accounts.find(accountId);
  }

  async function find(query: InferOutput<typeof AccountQuery>) {
    const account = existing(await found(query));
    return operatedAccount(account, await metering.current(account.id, clock.now()));
  }
  return { find };
}

function statusOf({ deletedAt, suspendedAt }: Account): 'active' | 'suspended' | 'deleted' {
  if (deletedAt !== undefined) return 'deleted';
  return suspendedAt === undefined ? 'active' : 'suspended';
}

/** `now` in epoch ms. */
export function accountDetails(account: Account, meter: Meter, plans: Plans, now: number) {
  const { confirmedAt, suspendedAt, deletedAt, passwordHash, identities = [] } = account;
  return {
    ...operatedAccount(account, meter),
    confirmedAt: isoOrNull(confirmedAt),
    suspendedAt: isoOrNull(suspendedAt),
    deletedAt: isoOrNull(deletedAt),
    signIn: { password: passwordHash !== undefined, google: identities.length > 0 },
    subscription: meter.subscription ? subscriptionView(meter, plans, Math.floor(now / 1000)) : null,
    credits: { spendable: credits(meter.spendable), held: credits(heldCredits(meter)), lots: lotsOf(meter) },
    holds: holdsOf(meter),
    calls: callsOf(meter, now),
    period: { from: isoOfSeconds(periodStart(meter.period)), to: isoOfSeconds(periodEnd(meter.period)) },
    used: Object.entries(meter.used).map(([service, amount]) => ({ service, credits: credits(amount) })),
  };
}

function lotsOf(meter: Meter) {
  return currentLots(meter).map(({ source, granted, remaining, expiresAt }) => ({
    source,
    granted: credits(granted),
    remaining: credits(remaining),
    expiresAt: isoOfSeconds(expiresAt),
  }));
}

function holdsOf({ holds }: Meter) {
  const soonest = [...holds].toSorted(([, one], [, other]) => one.deadline - other.deadline).slice(0, shownHolds);
  return soonest.map(([requestId, { amount, deadline, service, model, keyId }]) => ({
    requestId,
    service,
    model,
    keyId: keyId === '' ? null : keyId,
    credits: credits(amount),
    expiresAt: isoOfSeconds(deadline),
  }));
}

function callsOf(meter: Meter, now: number) {
  const rate = rateStatus(meter, now);
  return {
    running: meter.holds.size,
    maxRunning: meter.maxConcurrentCalls,
    thisMonth: meter.callsThisMonth,
    perMonth: meter.callsPerMonth >= unlimited ? null : meter.callsPerMonth,
    perMinute: rate
      ? { limit: rate.limit, remaining: rate.remaining, resetSeconds: Math.ceil(rate.resetMs / 1000) }
      : null,
  };
}

const credits = (amount: number): number => amount / microPerCredit;
/** Built on first use, because a function has access only to the tables that it reads. */
interface Parts {
  readonly accounts: AccountStore;
  readonly membershipsOf: (userId: number) => Promise<readonly Membership[]>;
  readonly metering: () => Metering;
  readonly plans: Plans;
  readonly statements: () => Promise<ReturnType<typeof statementService>>;
  readonly keys: () => KeyService;
  readonly mails: () => MailHistory;
  readonly suppressions: () => SuppressionStore;
  readonly requests: () => Promise<ReturnType<typeof requestLog>>;
  readonly orders: () => Promise<Pick<OrderStore, 'page'>>;
  readonly webhooks: () => Promise<Pick<WebhookStore, 'list'>>;
  readonly clock: Clock;
}

export function accountReads(parts: Parts) {
  const { accounts, metering, plans, clock } = parts;
  const account = async (accountId: number) => existing(await accounts.find(accountId));

  async function details(accountId: number) {
    const found = await account(accountId);
    const now = clock.now();
    const [meter, memberships] = await Promise.all([
      metering().current(accountId, now),
      parts.membershipsOf(accountId),
    ]);
    const organizations = memberships.filter(isAlive).map(({ organization: { id, name, suspendedAt }, member }) => {
      return { id, name, role: member.role, status: suspendedAt === undefined ? 'active' : 'suspended' } as const;
    });
    const whole = withCallsOf(await metering().lanesOf(meter), meter);
    return { ...accountDetails(found, whole, plans, now), organizations };
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
      mails: notes.map(mailView),
      suppression: suppression ? { ...suppression, at: iso(suppression.at) } : null,
    };
  }

  async function requests(accountId: number, query: InferOutput<typeof RequestQuery>) {
    await account(accountId);
    return (await parts.requests()).list(accountId, query);
  }

  async function payments(accountId: number, { limit, cursor }: InferOutput<typeof PaymentQuery>) {
    await account(accountId);
    const { items, next } = await (await parts.orders()).page(accountId, { limit, cursor });
    return { items: items.map(paymentView), nextCursor: next };
  }

  /** Includes those of an account whose plan no longer has webhooks. */
  async function webhooks(accountId: number) {
    await account(accountId);
    const items = await (await parts.webhooks()).list(accountId);
    return { items: items.map(webhookView), nextCursor: null };
  }

  return { details, entries, keys, mails, requests, payments, webhooks };
}

function mailView({ subject, createdAt, state, closedAt }: MailNote) {
  return {
    subject,
    at: iso(createdAt),
    state,
    stateAt: isoOrNull(closedAt),
  };
}
