import { Anchor } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { Action } from '../api/actions.ts';
import { usePortal } from '../api/payments.ts';
import type { ApiError } from '../api/response.ts';
import { linkIn, paymentIn, paymentPage } from '../lib/payment-text.ts';
import { ErrorNotice, Notice } from './notice.tsx';

/** Explains why a charge of the saved card failed, and offers the next step. Shows other errors as usual. */
export function PaymentRefusal({ error }: { error: ApiError }) {
  const [, go] = useLocation();
  const { code, message } = error;
  const [id, link] = [paymentIn(message), linkIn(message)];
  if (code === 'PAYMENT_ACTION_REQUIRED' && link !== undefined)
    return (
      <Notice
        tone="warning"
        actions={
          // The bank's page opens in another tab, while this one follows the payment.
          <a href={link} target="_blank" rel="noreferrer" onClick={() => id !== undefined && go(paymentPage(id))}>
            Confirm the payment
          </a>
        }
      >
        Your bank requires you to confirm the payment. Nothing changes until then.
      </Notice>
    );
  if (code === 'PAYMENT_ACTION_REQUIRED')
    return (
      <PortalNotice action="Change the card">Your bank requires you to confirm payments with this card.</PortalNotice>
    );
  if (code === 'PAYMENT_DECLINED')
    return (
      <PortalNotice action="Change the card">Your card was declined. Nothing was charged or changed.</PortalNotice>
    );
  if (code === 'PAYMENT_METHOD_REQUIRED') return <PortalNotice action="Add a card">No card is saved.</PortalNotice>;
  if (code === 'INVALID_STATE' && id !== undefined)
    return (
      <Notice tone="warning" actions={<Link href={paymentPage(id)}>View payment</Link>}>
        An earlier payment is still in progress. Try again once it is complete.
      </Notice>
    );
  return <ErrorNotice error={error} />;
}

function PortalNotice({ action, children }: { action: string; children: string }) {
  const portal = usePortal();
  return (
    <>
      <Notice tone="warning" actions={<PortalLink portal={portal}>{action}</PortalLink>}>
        {children}
      </Notice>
      {portal.error && <ErrorNotice error={portal.error} />}
    </>
  );
}

interface PortalLinkProps {
  readonly portal: Action<undefined, never>;
  readonly children: string;
}

/** Opens the customer portal, in a notice or a line of text. */
export function PortalLink({ portal, children }: PortalLinkProps) {
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      disabled={portal.isRunning}
      onClick={() => void portal.run(undefined)}
    >
      {children}
    </Anchor>
  );
}
