import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { paymentRoutes } from '#contract/routes/payments.ts';
import { type Action, useAction, useOnce } from '../api/actions.ts';
import { call } from '../api/call.ts';
import { planReads, useData } from '../api/reads.ts';
import { ApiError } from '../api/response.ts';
import { linkIn, paymentIn, paymentPage } from '../lib/payment-text.ts';
import { ErrorNotice, Notice } from './notice.tsx';

/** Cached reads that a payment changes. */
export const paymentReads = [...planReads, paymentRoutes.listPayments, paymentRoutes.getAutoTopUp] as const;

/** The id of a pack, or the name of a plan. */
type Purchase = { readonly pack: string } | { readonly planId: string };

export const usePacks = () => useData(paymentRoutes.listPacks, {});
/** The automatic top-up, with the saved card. */
export const useTopUp = ({ enabled = true } = {}) => useData(paymentRoutes.getAutoTopUp, {}, { enabled });

/** Opens the checkout page, which returns to the billing page. */
export function useCheckout(): Action<Purchase, never> {
  const once = useOnce();
  return useAction(async (purchase) => {
    const send = (idempotencyKey: string) => call(paymentRoutes.createCheckout, { body: purchase }, { idempotencyKey });
    const { url } = await once(purchase, send);
    return leaveTo(url);
  });
}

/** Opens the customer portal for the card, the invoices and the address. */
export const usePortal = (): Action<undefined, never> =>
  useAction(async () => leaveTo((await call(paymentRoutes.createPortal, {})).url));

const leavingMs = 20_000;

/**
 * Navigates away from the dashboard. The button stays busy while the promise is pending. It rejects after `leavingMs`
 * if the dashboard is still open.
 */
function leaveTo(url: string): Promise<never> {
  window.location.assign(url);
  const stayed = new ApiError('UNREACHABLE', t`Can't open the payment provider's page. Try again.`);
  return new Promise((_, reject) => setTimeout(() => reject(stayed), leavingMs));
}

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
            <Trans>Confirm the payment</Trans>
          </a>
        }
      >
        <Trans>Your bank requires you to confirm the payment. Nothing changes until then.</Trans>
      </Notice>
    );
  if (code === 'PAYMENT_ACTION_REQUIRED')
    return (
      <PortalNotice action={t`Change the card`}>
        <Trans>Your bank requires you to confirm payments with this card.</Trans>
      </PortalNotice>
    );
  if (code === 'PAYMENT_DECLINED')
    return (
      <PortalNotice action={t`Change the card`}>
        <Trans>Your card was declined. Nothing was charged or changed.</Trans>
      </PortalNotice>
    );
  if (code === 'PAYMENT_METHOD_REQUIRED')
    return (
      <PortalNotice action={t`Add a card`}>
        <Trans>No card is saved.</Trans>
      </PortalNotice>
    );
  if (code === 'INVALID_STATE' && id !== undefined)
    return (
      <Notice
        tone="warning"
        actions={
          <Link href={paymentPage(id)}>
            <Trans>View payment</Trans>
          </Link>
        }
      >
        <Trans>An earlier payment is still in progress. Try again once it is complete.</Trans>
      </Notice>
    );
  return <ErrorNotice error={error} />;
}

function PortalNotice({ action, children }: { action: string; children: ReactNode }) {
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
