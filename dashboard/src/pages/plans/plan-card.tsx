import { Badge, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { messagesPlan, webhooksPlan } from '#contract/billing/plans.ts';
import { models } from '#contract/inference/models.ts';
import { useNow } from '../../api/clock.ts';
import { usePlanLimits } from '../../api/config.ts';
import { Icon } from '../../components/elements/icon.tsx';
import { creditCount, formatPrice, formatWhole } from '../../lib/format.ts';
import { planTitle } from '../../lib/names.ts';
import { PlanAction } from './plan-action.tsx';
import { badgeOf, isSelfServe, type Plan, planStateOf, type Subscription } from './plan.ts';
import css from './plans.module.css';

interface PlanCardProps {
  readonly plan: Plan;
  /** The plan of the subscription; undefined without one. */
  readonly current: Plan | undefined;
  readonly subscription: Subscription;
  readonly isRecommended: boolean;
}

const reservedModels = models.filter(({ minPlanRank }) => minPlanRank > 1);

/** A plan with the limits that the deployment enforces, and the way to it from the current one. */
export function PlanCard({ plan, current, subscription, isRecommended }: PlanCardProps) {
  const state = planStateOf(plan, current, subscription);
  const badge = badgeOf(plan, current, subscription, useNow());
  const isOwn = badge !== undefined && state !== 'scheduled';
  const { callsPerMinute, callsPerMonth, maxConcurrentCalls } = usePlanLimits()(plan.id);
  const hasMessages = plan.id >= messagesPlan.id;
  const hasWebhooks = plan.id >= webhooksPlan.id;
  const reserved = reservedModels.filter(({ minPlanRank }) => minPlanRank <= plan.id);

  return (
    <li className={[css.card, isOwn && css.current, !isSelfServe(plan) && css.custom].filter(Boolean).join(' ')}>
      <div className={css.head}>
        <Title order={2}>{planTitle(plan.name)}</Title>
        {badge !== undefined && <Badge className={css.badge}>{badge}</Badge>}
        {badge === undefined && isRecommended && (
          <Badge className={[css.badge, css.recommended].join(' ')}>Recommended</Badge>
        )}
      </div>
      <div>
        <div className={css.price}>{formatPrice(plan.price)}</div>
        <Text size="sm" c="dimmed" mih="1.4em">
          {plan.price !== null && plan.price > 0 && 'per month'}
        </Text>
      </div>
      <ul className={css.facts}>
        <Fact>{plan.quota_limit === null ? 'Unlimited credits' : `${creditCount(plan.quota_limit)} per month`}</Fact>
        {callsPerMonth !== null && <Fact>{formatWhole(callsPerMonth)} calls per month</Fact>}
        <Fact>
          {callsPerMinute === null ? 'Unlimited calls per minute' : `${formatWhole(callsPerMinute)} calls per minute`}
        </Fact>
        <Fact>{formatWhole(maxConcurrentCalls)} concurrent calls</Fact>
        <Fact isIncluded={reserved.length > 0}>
          {reserved.length > 0 && 'All models, including '}
          <span className={css.model}>{reservedModels.map(({ id }) => id).join(', ')}</span>
          {reserved.length === 0 && ' not included'}
        </Fact>
        <Fact isIncluded={hasMessages}>{hasMessages ? 'SMS and voice calls' : 'No SMS or voice calls'}</Fact>
        <Fact isIncluded={hasWebhooks}>{hasWebhooks ? 'Webhooks' : 'No webhooks'}</Fact>
      </ul>
      <div className={css.action}>
        <PlanAction plan={plan} current={current} subscription={subscription} state={state} />
      </div>
    </li>
  );
}

function Fact({ isIncluded = true, children }: { isIncluded?: boolean; children: ReactNode }) {
  return (
    <li className={isIncluded ? undefined : css.none}>
      <Icon name="check" size={15} />
      <span>{children}</span>
    </li>
  );
}
