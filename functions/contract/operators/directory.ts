import * as v from 'valibot';
import { planListing } from '../billing/plans.ts';
import { accountId, day, instant, text, whole } from '../shared/fields.ts';

/** One state per account: the first that applies. `past_due`: the running month of the plan is unpaid. */
export const accountStates = ['deleted', 'suspended', 'past_due', 'unconfirmed', 'active'] as const;
export type AccountState = (typeof accountStates)[number];

/** Orders of the list, all descending. */
export const accountOrders = ['newest', 'spending', 'balance'] as const;
export type AccountOrder = (typeof accountOrders)[number];

/** Days for which an account counts as new. */
export const newDays = 7;

/** `since`: a day in UTC. `cursor` is the `nextCursor` of the previous page. */
export const DirectoryQuery = v.pipe(
  v.object({
    plan: v.optional(
      v.picklist(
        planListing.map(({ name }) => name),
        'must name a plan',
      ),
    ),
    state: v.optional(v.picklist(accountStates, `must be one of ${accountStates.join(', ')}`)),
    since: v.optional(day),
    sort: v.optional(v.picklist(accountOrders, `must be one of ${accountOrders.join(', ')}`), 'newest'),
    cursor: v.optional(v.pipe(text(64), v.regex(/^\d{20}#\d{16}$/, 'must be the nextCursor of the previous page'))),
    limit: v.optional(
      v.pipe(v.string(), v.regex(/^(?:[1-9]\d?|100)$/, 'must be a number from 1 to 100'), v.transform(Number)),
      '50',
    ),
  }),
  v.check(({ since, sort }) => since === undefined || sort === 'newest', 'must not have since unless sort is newest'),
);

/** `spent` in the billing month and `balance`, including held credits, have six decimals. */
const ListedAccount = v.object({
  id: accountId,
  email: v.pipe(v.nullable(v.string()), v.description('Null for a shared organization.')),
  name: v.string(),
  state: v.picklist(accountStates),
  plan: v.string(),
  created_at: instant,
  spent: v.number(),
  balance: v.number(),
});

/** `new`: registered in the last 7 days. `active`: with charges in its billing month. `failing`: past due. */
export const DirectoryTotals = v.object({
  accounts: whole,
  new: whole,
  active: whole,
  failing: whole,
  spent: v.number(),
  states: v.object(v.entriesFromList(accountStates, whole)),
});
export type DirectoryTotals = v.InferOutput<typeof DirectoryTotals>;

/**
 * Accounts and totals as of `updatedAt`, the last complete update, or null before the first. `nextUpdateAt`: start of
 * the next update.
 */
export const DirectoryPage = v.object({
  accounts: v.array(ListedAccount),
  nextCursor: v.nullable(v.string()),
  totals: v.nullable(DirectoryTotals),
  updatedAt: v.nullable(instant),
  nextUpdateAt: instant,
});
