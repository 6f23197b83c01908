import { Panel } from '../../../components/layout/panel.tsx';
import { formatDay, formatPrice, formatStamp } from '../../../lib/format.ts';
import { planTitle } from '../../../lib/names.ts';
import type { Account } from './account.ts';
import { Facts } from './facts.tsx';

/** Whose account it is, and on which plan. */
export function ProfilePanel({ account }: { account: Account }) {
  const { name, role, created_at, confirmedAt, plan, subscription } = account;
  return (
    <Panel title="Profile and plan">
      <Facts
        facts={[
          ['Name', <bdi key="name">{name}</bdi>],
          ['Role', role],
          ['Registered', formatStamp(created_at)],
          ['Confirmed', confirmedAt === null ? 'Not yet' : formatStamp(confirmedAt)],
          ['Signs in with', signInOf(account)],
          ['Plan', planTitle(plan)],
          ['Subscription', subscription === null ? 'None' : subscription.status],
          ...subscriptionFacts(subscription),
        ]}
      />
    </Panel>
  );
}

function signInOf({ signIn: { password, google } }: Account): string {
  return [password && 'password', google && 'Google'].filter(Boolean).join(', ') || 'nothing';
}

function subscriptionFacts(subscription: Account['subscription']): (readonly [string, string])[] {
  if (subscription === null) return [];
  const { nextBillingDate, price, pendingPlanId, endsAt, creditsExpireAt } = subscription;
  const facts: readonly (readonly [title: string, value: string | undefined])[] = [
    ['Price', `${formatPrice(price)} a month`],
    ['Next billing', endsAt === undefined ? formatDay(nextBillingDate) : undefined],
    ['Next plan', pendingPlanId && planTitle(pendingPlanId)],
    ['Plan ends', endsAt && formatStamp(endsAt)],
    ['Credits expire', creditsExpireAt && formatStamp(creditsExpireAt)],
  ];
  return facts.flatMap(([title, value]) => (value === undefined ? [] : [[title, value] as const]));
}
