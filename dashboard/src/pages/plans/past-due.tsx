import { usePortal } from '../../api/payments.ts';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { PortalLink } from '../../components/payment-refusal.tsx';
import type { PaymentRecord } from '../../lib/payment-text.ts';
import { usePayments } from '../billing/payments-panel.tsx';
import { pastDueText, type Subscription } from './plan.ts';

const isPayable = ({ kind, url }: PaymentRecord): boolean => kind === 'renewal' && url !== undefined;

/** A notice while the current month is not paid, with ways to pay it. */
export function PastDue({ subscription }: { subscription: NonNullable<Subscription> }) {
  const portal = usePortal();
  const text = pastDueText(subscription);
  const { data: payments = [] } = usePayments(text !== undefined);
  const url = payments.find(isPayable)?.url;
  if (text === undefined) return null;
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
