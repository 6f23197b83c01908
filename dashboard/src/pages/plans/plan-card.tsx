import { Badge, Button, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { type PlanName, planOfRank } from '#contract/billing/plans.ts';
import { models } from '#contract/inference/models.ts';
import { Icon } from '../../components/icon.tsx';
import { creditCount, formatPrice, formatWhole } from '../../lib/format.ts';
import { planTitle } from '../../lib/names.ts';
import { ChangeDialog } from './change-dialog.tsx';
import type { Plan, Subscription } from './plan.ts';
import css from './plans.module.css';

interface PlanCardProps {
  readonly plan: Plan;
  /** The plan one is on; undefined without a subscription. */
  readonly current: Plan | undefined;
  readonly subscription: Subscription;
}

const enterprise: PlanName = 'enterprise';
const reservedModels = models.filter(({ minPlanRank }) => minPlanRank > 1);

/** A plan as the API lists it, and the way to it from where one is. */
export function PlanCard({ plan, current, subscription }: PlanCardProps) {
  const [isOpen, setOpen] = useState(false);
  const isActive = subscription?.status === 'active';
  const isCurrent = isActive && plan.id === current?.id;
  const isPending = plan.name === subscription?.pendingPlanId || String(plan.id) === subscription?.pendingPlanId;
  const isUp = !isActive || plan.id > (current?.id ?? 0);
  const reserved = reservedModels.filter(({ minPlanRank }) => minPlanRank <= plan.id);
  const title = planTitle(plan.name);

  return (
    <li className={[css.card, isCurrent && css.current].filter(Boolean).join(' ')}>
      <div className={css.head}>
        <Title order={2}>{title}</Title>
        {isCurrent && <Badge className={css.badge}>Your plan</Badge>}
        {isPending && <Badge className={css.badge}>Scheduled</Badge>}
      </div>
      <div>
        <div className={css.price}>{formatPrice(plan.price)}</div>
        <Text size="sm" c="dimmed" mih="1.4em">
          {plan.price !== null && plan.price > 0 && 'a month'}
        </Text>
      </div>
      <ul className={css.facts}>
        <Fact>{plan.quota_limit === null ? 'Unlimited credits' : `${creditCount(plan.quota_limit)} a month`}</Fact>
        <Fact>
          {plan.rate_limit === null ? 'Unlimited calls a minute' : `${formatWhole(plan.rate_limit)} calls a minute`}
        </Fact>
        <Fact>{formatWhole(planOfRank(plan.id).callsInFlight)} concurrent calls</Fact>
        <Fact isThere={reserved.length > 0}>
          {reserved.length > 0 ? 'All models, with ' : 'Models without '}
          <span className={css.model}>{reservedModels.map(({ id }) => id).join(', ')}</span>
        </Fact>
      </ul>
      {plan.name === enterprise ? (
        <Text size="sm" c="dimmed">
          Contact sales
        </Text>
      ) : (
        <Button
          fullWidth
          variant={isUp ? 'filled' : 'default'}
          disabled={isCurrent || isPending || current?.name === enterprise}
          onClick={() => setOpen(true)}
          aria-label={`${actionOf(isCurrent, isPending, isActive, isUp)} ${title}`}
        >
          {actionOf(isCurrent, isPending, isActive, isUp)}
        </Button>
      )}
      <ChangeDialog
        plan={plan}
        from={isActive ? current : undefined}
        isAgain={subscription?.status === 'cancelled'}
        billedOn={subscription?.nextBillingDate}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      />
    </li>
  );
}

function Fact({ isThere = true, children }: { isThere?: boolean; children: ReactNode }) {
  return (
    <li className={isThere ? undefined : css.none}>
      <Icon name="check" size={15} />
      <span>{children}</span>
    </li>
  );
}

function actionOf(isCurrent: boolean, isPending: boolean, isActive: boolean, isUp: boolean): string {
  if (isCurrent) return 'Your plan';
  if (isPending) return 'Scheduled';
  if (!isActive) return 'Subscribe';
  return isUp ? 'Upgrade' : 'Downgrade';
}
