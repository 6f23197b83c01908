import { Anchor } from '@mantine/core';
import type { Action } from '../api/actions.ts';
import { usePortal } from '../api/payments.ts';
import type { ApiError } from '../api/response.ts';
import { linkIn } from '../lib/payment-text.ts';
import { ErrorNotice, Notice } from './notice.tsx';

interface PaymentRefusalProps {
  readonly error: ApiError;
  /** Called when the user follows the link to the bank's confirmation, which opens in another tab. */
  readonly onFollow?: () => void;
}

/** Explains why a payment with the saved card was refused, and offers the next step. Other errors are shown as usual. */
export function PaymentRefusal({ error, onFollow }: PaymentRefusalProps) {
  const { code, message } = error;
  if (code === 'PAYMENT_ACTION_REQUIRED') {
    const link = linkIn(message);
    return (
      <Notice
        tone="warning"
        actions={
          link !== undefined && (
            <a href={link} target="_blank" rel="noreferrer" onClick={onFollow}>
              Confirm the payment
            </a>
          )
        }
      >
        Your bank asks you to confirm the payment. Nothing changes until then.
      </Notice>
    );
  }
  if (code === 'PAYMENT_DECLINED')
    return (
      <PortalNotice action="Change the card">
        Your card was declined. Nothing was charged, and nothing changed.
      </PortalNotice>
    );
  if (code === 'PAYMENT_METHOD_REQUIRED')
    return <PortalNotice action="Add a card">No card is saved that could pay.</PortalNotice>;
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
