import { Stack } from '@mantine/core';
import { useSellsCredits } from '../../api/config.ts';
import { useMe, useSubscription } from '../../api/reads.ts';
import { Unconfirmed } from '../../components/emails.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { useQuery } from '../../lib/hooks.ts';
import { isPaymentId } from '../../lib/payment-text.ts';
import { PastDue } from '../plans/past-due.tsx';
import css from './billing.module.css';
import { CardPanel } from './card-panel.tsx';
import { Packs } from './packs.tsx';
import { PaymentsPanel } from './payments-panel.tsx';
import { PlanPanel } from './plan-panel.tsx';
import { ReturnedPayment } from './returned-payment.tsx';
import { TopUpPanel } from './top-up-panel.tsx';

export default function BillingPage() {
  const { data: me } = useMe();
  const { data: subscription } = useSubscription();
  const sellsCredits = useSellsCredits();
  const [query, change] = useQuery();
  const payment = query.get('payment') ?? '';
  const isUnconfirmed = me?.isConfirmed === false;
  return (
    <Page title="Billing" lead="Plan, credits, card and payments">
      <Stack gap="lg">
        {isUnconfirmed && <Unconfirmed email={me.email} permits="buy credits and plans" />}
        {isPaymentId(payment) && !isUnconfirmed && (
          <ReturnedPayment
            key={payment}
            id={payment}
            isCancelled={query.has('cancelled')}
            onClose={() => change({ payment: undefined, cancelled: undefined })}
          />
        )}
        {subscription && <PastDue subscription={subscription} />}
        <div className={css.columns}>
          <PlanPanel />
          {!isUnconfirmed && <CardPanel />}
        </div>
        {sellsCredits && !isUnconfirmed && (
          <>
            <div id="packs">
              <Panel title="Buy credits">
                <Packs />
              </Panel>
            </div>
            <TopUpPanel />
          </>
        )}
        {!isUnconfirmed && <PaymentsPanel />}
      </Stack>
    </Page>
  );
}
