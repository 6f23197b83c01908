import { Badge, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { planOfRank } from '#contract/billing/plans.ts';
import { models } from '#contract/inference/models.ts';
import { messageRoutes } from '#contract/routes/messages.ts';
import { Icon } from '../../components/elements/icon.tsx';
import { creditCount, formatPrice, formatWhole } from '../../lib/format.ts';
import { planTitle } from '../../lib/names.ts';
import { PlanAction } from './plan-action.tsx';
import { type Plan, planStateOf, type Subscription } from './plan.ts';
import css from './plans.module.css';

interface PlanCardProps {
  readonly plan: Plan;
  /** The plan of the subscription; undefined without one. */
  readonly current: Plan | undefined;
  readonly subscription: Subscription;
}

const messagesRank = messageRoutes.sendMessage.priced.minPlanRank;
const reservedModels = models.filter(({ minPlanRank }) => minPlanRank > 1);

/** A plan as the API lists it, and the way to it from the current one. */
export function PlanCard({ plan, current, subscription }: PlanCardProps) {
  const state = planStateOf(plan, current, subscription);
  const hasMessages = plan.id >= messagesRank;
  const reserved = reservedModels.filter(({ minPlanRank }) => minPlanRank <= plan.id);

  return (
    <li className={[css.card, state === 'current' && css.current].filter(Boolean).join(' ')}>
      <div className={css.head}>
        <Title order={2}>{planTitle(plan.name)}</Title>
        {state === 'current' && <Badge className={css.badge}>Your plan</Badge>}
        {state === 'scheduled' && <Badge className={css.badge}>Scheduled</Badge>}
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
        <Fact isIncluded={reserved.length > 0}>
          {reserved.length > 0 ? 'All models, with ' : 'Models without '}
          <span className={css.model}>{reservedModels.map(({ id }) => id).join(', ')}</span>
        </Fact>
        <Fact isIncluded={hasMessages}>{hasMessages ? 'SMS and voice calls' : 'No SMS or voice calls'}</Fact>
      </ul>
      <PlanAction plan={plan} current={current} subscription={subscription} state={state} />
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
