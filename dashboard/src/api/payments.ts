import { paymentRoutes } from '#contract/routes/payments.ts';
import { type Action, useAction, useOnce } from './actions.ts';
import { call } from './call.ts';
import { planReads, useData } from './reads.ts';
import { ApiError } from './response.ts';

/** Cached reads that a payment changes. */
export const paymentReads = [...planReads, paymentRoutes.listPayments, paymentRoutes.getAutoTopUp] as const;

/** The id of a pack, or the name of a plan. */
export type Purchase = { readonly pack: string } | { readonly planId: string };

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

/** Leaves the dashboard. The button stays busy, until this rejects after `leavingMs` if the dashboard is still open. */
function leaveTo(url: string): Promise<never> {
  window.location.assign(url);
  const stayed = new ApiError('UNREACHABLE', "Can't open the page of the payment provider. Try again.");
  return new Promise((_, reject) => setTimeout(() => reject(stayed), leavingMs));
}
