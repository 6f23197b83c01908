import type { PaymentWork } from '#contract/payments/payments.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { PlanPayments } from '#domain/billing/payments.ts';
import { collection } from '#domain/payments/collection.ts';
import { customers } from '#domain/payments/customers.ts';
import { paymentEvents } from '#domain/payments/events.ts';
import { notices } from '#domain/payments/notices.ts';
import { purchases, unavailable } from '#domain/payments/purchases.ts';
import { reconciliation } from '#domain/payments/reconciliation.ts';
import { settlement } from '#domain/payments/settlement.ts';
import { topUps } from '#domain/payments/top-up.ts';
import { newRequestId } from '#domain/shared/credential.ts';
import type { MessageQueue } from '#domain/shared/ports.ts';
import { stripeProvider } from '#gateways/stripe/provider.ts';
import { mailWriter } from '#repositories/mail/mail.ts';
import { balanceWatch } from '#repositories/meter/alerts.ts';
import { paymentStore } from '#repositories/payments/payments.ts';
import { logger, recordRefusedPayment } from '../telemetry.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

interface PaymentNeeds {
  readonly findAccount: (accountId: number) => Promise<Account | undefined>;
  readonly enforceCheckoutLimit: (accountId: number) => Promise<void>;
  /** Counts requests that call the provider. Returns the seconds to wait, or 0. */
  readonly takeProviderCall: (accountId: number) => Promise<number>;
  readonly queue: () => Promise<MessageQueue>;
}

/** Only stages with payments load this module, and with it the payment provider's package. */
export function paymentServices(
  core: CoreServices,
  { findAccount, enforceCheckoutLimit, takeProviderCall, queue }: PaymentNeeds,
) {
  const { environment, clock, random, table, plans, metering } = core;
  const {
    PAYMENTS_SECRET: name,
    PAYMENTS_SECRET_VALUE: value,
    STRIPE_API: api,
    PUBLIC_ORIGIN: publicOrigin,
  } = environment;
  if (name === undefined && value === undefined) throw new Error('PAYMENTS_SECRET is not set');
  const provider = stripeProvider({ secret: value === undefined ? { name: name ?? '' } : { value }, api });
  const store = paymentStore(dynamoClient(), table('payments'), () => table('meters'));
  const shared = { store, provider, metering: metering(), plans, clock };
  const collecting = collection({
    ...shared,
    onError: (error, accountId) =>
      logger().error('the collection of a plan could not be changed', { error, accountId }),
  });
  const notifying = notices({
    findAccount,
    send: mailWriter(dynamoClient(), table('accounts'), clock),
    async savedCard(accountId) {
      const { customer } = await store.profile(accountId);
      return customer === undefined ? undefined : provider.savedCard(customer);
    },
    publicOrigin,
    clock,
    onError: (error) => logger().error('an email about a payment could not be queued', { error }),
  });
  const settling = settlement({
    ...shared,
    newId: () => newRequestId(random),
    align: collecting.alignSoon,
    onChange: notifying.orderChanged,
    onMismatch({ accountId, id }, reason) {
      logger().error('a payment could not be granted', { accountId, payment: id, reason });
      recordRefusedPayment();
    },
  });
  const buying = purchases({
    ...shared,
    settlement: settling,
    findAccount,
    enforceCheckoutLimit,
    takeProviderCall,
    onConfirmation: notifying.confirmationNeeded,
    publicOrigin,
    random,
  });
  const events = paymentEvents({
    ...shared,
    settlement: settling,
    queue,
    onRenewalFailed: notifying.renewalFailed,
    onForeign(eventId, reason) {
      logger().error('a payment event names an unknown order', { eventId, reason });
      recordRefusedPayment();
    },
  });
  const topping = topUps({
    ...shared,
    purchases: buying,
    watchBalance: balanceWatch(dynamoClient(), table('meters')),
    queue,
    onFailure: notifying.topUpFailed,
  });
  const syncCustomer = customers({ ...shared, findAccount });
  const comparing = reconciliation({ ...shared, settlement: settling, events });
  const planPayments: PlanPayments = {
    subscribe: buying.subscribe,
    upgrade: buying.upgrade,
    beforeChange: collecting.mark,
    afterChange: collecting.alignSoon,
  };
  return {
    store,
    purchases: buying,
    topUps: topping,
    events,
    planPayments,
    settlement: settling,
    collection: collecting,
    reconciliation: comparing,
    /** Ends all charges of an account before its deletion. */
    stopCollecting: (accountId: number) => collecting.stopAll(accountId).catch(unavailable),
    async handle(work: PaymentWork): Promise<void> {
      if (work.do === 'event') return events.handle(work.id);
      if (work.do === 'order') return void (await settling.settle(work));
      if (work.do === 'account') {
        await events.settleRenewals(work.accountId);
        await collecting.align(work.accountId);
        if (!(await syncCustomer(work.accountId))) return;
      }
      await topping.run(work.accountId);
    },
  };
}
