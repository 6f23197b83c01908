import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { messagesPlan } from '#contract/billing/plans.ts';
import { prices } from '#contract/billing/prices.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { Panel } from '../../../components/layout/panel.tsx';
import { creditCount } from '../../../lib/format.ts';
import { planTitle } from '../../../lib/names.ts';

export function NoPlan() {
  return (
    <Panel title="New message">
      <Empty
        icon="messages"
        title="Messages aren’t included in your plan"
        action={
          <Anchor component={Link} href="/plans" underline="always">
            Compare plans
          </Anchor>
        }
      >
        Available on {planTitle(messagesPlan.name)} and larger plans, for {creditCount(prices.sms.credits)} each.
      </Empty>
    </Panel>
  );
}
