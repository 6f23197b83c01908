import { packList } from '#contract/payments/payments.ts';
import type { paymentRoutes } from '#contract/routes/payments.ts';
import type { Operation } from '#runtime/operation.ts';

export const listPacks: Operation<typeof paymentRoutes.listPacks> = ({ requirePayments }) => {
  requirePayments();
  return { items: [...packList] };
};

export const createCheckout: Operation<typeof paymentRoutes.createCheckout> = async ({ payments }, { input, caller }) =>
  (await payments()).purchases.checkout(caller.accountId, input.body);

export const listPayments: Operation<typeof paymentRoutes.listPayments> = async ({ payments }, { input, caller }) => {
  const { limit, cursor } = input.query;
  return (await payments()).purchases.page(caller.accountId, { limit, cursor });
};

export const getPayment: Operation<typeof paymentRoutes.getPayment> = async ({ payments }, { input, caller }) =>
  (await payments()).purchases.get(caller.accountId, input.path.id);

export const createPortal: Operation<typeof paymentRoutes.createPortal> = async ({ payments }, { caller }) =>
  (await payments()).purchases.portal(caller.accountId);

export const receiveStripeEvent: Operation<typeof paymentRoutes.receiveStripeEvent> = async (
  { payments },
  { input },
) => {
  const { bytes, header } = input.body ?? { bytes: new Uint8Array(), header: '' };
  await (await payments()).events.receive(bytes, header);
};

export const getAutoTopUp: Operation<typeof paymentRoutes.getAutoTopUp> = async ({ payments }, { caller }) =>
  (await payments()).topUps.get(caller.accountId);

export const setAutoTopUp: Operation<typeof paymentRoutes.setAutoTopUp> = async ({ payments }, { input, caller }) =>
  (await payments()).topUps.set(caller.accountId, input.body);
