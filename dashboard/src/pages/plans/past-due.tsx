import { usePortal } from '../../api/payments.ts';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { PortalLink } from '../../components/payment-refusal.tsx';
import type { PaymentRecord } from '../../lib/payment-text.ts';
import { usePayments } from '../billing/payments-panel.tsx';
import { pastDueText, type Subscription } from './plan.ts';

const isPayable = ({ kind, url }: PaymentRecord): boolean => kind === 'renewal' && url !== undefined;

/** Status of the newest payment of a month, if it was refunded or disputed. */
function returnedStatus(payments: readonly PaymentRecord[]): 'refunded' | 'disputed' | undefined {
  const status = payments.find(({ kind, paidAt }) => isMonth(kind) && paidAt !== null)?.status;
  return status === 'refunded' || status === 'disputed' ? status : undefined;
}

const isMonth = (kind: PaymentRecord['kind']): boolean => kind === 'plan' || kind === 'renewal';

/** A notice while the current month is past due. It has ways to pay, unless the month was paid and then refunded. */
export function PastDue({ subscription }: { subscription: NonNullable<Subscription> }) {
  const portal = usePortal();
  const { pastDue } = subscription;
  const { data: payments = [] } = usePayments(pastDue !== undefined);
  const text = pastDueText(subscription, returnedStatus(payments));
  const url = payments.find(isPayable)?.url;
  if (text === undefined) return null;
  if (pastDue?.reason === 'payment_returned') return <Notice tone="error">{text}</Notice>;
  return (
    <>
      <Notice
        tone="error"
        actions={
          <>
            {url !== undefined && <a href={url}>Pay now</a>}
            <PortalLink portal={portal}>Change the card</PortalLink>
          </>
        }
      >
        {text}
      </Notice>
      {portal.error && <ErrorNotice error={portal.error} />}
    </>
  );
}
