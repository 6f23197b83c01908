import { Detail, Details } from '../../../../components/elements/details.tsx';
import { Panel } from '../../../../components/layout/panel.tsx';
import { formatDay, formatPrice, formatStamp } from '../../../../lib/format.ts';
import { planTitle } from '../../../../lib/names.ts';
import type { Account } from '../account.ts';

/** Whose account it is, and on which plan. */
export function ProfilePanel({ account }: { account: Account }) {
  const { name, role, created_at, confirmedAt, plan, subscription } = account;
  return (
    <Panel title="Profile and plan">
      <Details>
        <Detail title="Name">
          <bdi>{name}</bdi>
        </Detail>
        <Detail title="Role">{role}</Detail>
        <Detail title="Registered">{formatStamp(created_at)}</Detail>
        <Detail title="Confirmed">{confirmedAt === null ? 'No' : formatStamp(confirmedAt)}</Detail>
        <Detail title="Sign-in methods">{signInOf(account)}</Detail>
        <Detail title="Plan">{planTitle(plan)}</Detail>
        <Detail title="Subscription">{subscription === null ? 'None' : subscription.status}</Detail>
        {subscription && <SubscriptionDetails subscription={subscription} />}
      </Details>
    </Panel>
  );
}

function signInOf({ signIn: { password, google } }: Account): string {
  return [password && 'password', google && 'Google'].filter(Boolean).join(', ') || 'nothing';
}

function SubscriptionDetails({ subscription }: { subscription: NonNullable<Account['subscription']> }) {
  const { nextBillingDate, price, pendingPlanId, endsAt, creditsExpireAt } = subscription;
  return (
    <>
      <Detail title="Price">{`${formatPrice(price)} per month`}</Detail>
      {endsAt === undefined && <Detail title="Next billing">{formatDay(nextBillingDate)}</Detail>}
      {pendingPlanId && <Detail title="Next plan">{planTitle(pendingPlanId)}</Detail>}
      {endsAt && <Detail title="Plan ends">{formatStamp(endsAt)}</Detail>}
      {creditsExpireAt && <Detail title="Credits expire">{formatStamp(creditsExpireAt)}</Detail>}
    </>
  );
}
