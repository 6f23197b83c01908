import type { Plans } from '#contract/billing/plans.ts';
import type { PaymentWork } from '#contract/payments/payments.ts';
import type { PlanPayments } from '#domain/billing/subscriptions.ts';
import type { Metering } from '#domain/meter/metering.ts';
import type { Recipient } from '#domain/organizations/organization.ts';
import { unavailable } from '#domain/payments/charges.ts';
import { collection } from '#domain/payments/collection.ts';
import { customers } from '#domain/payments/customers.ts';
import { paymentEvents, reconciliation } from '#domain/payments/events.ts';
import { type NoticeParts, notices } from '#domain/payments/mails.ts';
import type { OrderStore } from '#domain/payments/order.ts';
import type { PaymentProvider } from '#domain/payments/provider.ts';
import { purchases } from '#domain/payments/purchases.ts';
import { settlement } from '#domain/payments/settlement.ts';
import { type TopUpParts, topUpRules, topUps } from '#domain/payments/top-up.ts';
import { newRequestId } from '#domain/shared/credential.ts';
import type { Clock, MessageQueue, Random } from '#domain/shared/ports.ts';
import { stripeProvider } from '#gateways/stripe/provider.ts';
import { mailWriter } from '#repositories/mail/mail.ts';
import { balanceWatch } from '#repositories/meter/alerts.ts';
import { paymentStore } from '#repositories/payments/payments.ts';
import { logger, recordRefusedPayment } from '../telemetry.ts';
import type { CoreServices } from './core-services.ts';
import { dynamoClient } from './dynamo-client.ts';

interface PaymentNeeds {
  /** The people who receive emails about payments. The first one is the customer of the payment provider. */
  readonly recipientsOf: (accountId: number) => Promise<readonly Recipient[]>;
  readonly enforceCheckoutLimit: (accountId: number) => Promise<void>;
  /** Counts requests that call the provider. Returns the seconds to wait, or 0. */
  readonly takeProviderCall: (accountId: number) => Promise<number>;
  readonly queue: () => Promise<MessageQueue>;
}

/** Only stages with payments load this module, and with it the payment provider's package. */
export function paymentServices(core: CoreServices, needs: PaymentNeeds) {
  const { environment, clock, random, table, plans, metering } = core;
  const {
    PAYMENTS_SECRET: name,
    PAYMENTS_SECRET_VALUE: value,
    STRIPE_API: api,
    PUBLIC_ORIGIN: publicOrigin,
  } = environment;
  if (name === undefined && value === undefined) throw new Error('PAYMENTS_SECRET is not set');
  return connectPayments({
    ...needs,
    provider: stripeProvider({ secret: value === undefined ? { name: name ?? '' } : { value }, api }),
    store: paymentStore(dynamoClient(), table('payments'), () => table('meters')),
    metering: metering(),
    plans,
    clock,
    random,
    publicOrigin,
    sendMail: mailWriter(dynamoClient(), table('accounts'), clock),
    watchBalance: balanceWatch(dynamoClient(), table('meters')),
    onError: (message, facts) => logger().error(message, facts),
    onRefused(message, facts) {
      logger().error(message, facts);
      recordRefusedPayment();
    },
  });
}

interface PaymentParts extends PaymentNeeds {
  readonly store: OrderStore;
  readonly provider: PaymentProvider;
  readonly metering: Metering;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly random: Random;
  readonly publicOrigin: string;
  readonly sendMail: NoticeParts['send'];
  readonly watchBalance: TopUpParts['watchBalance'];
  readonly onError: (message: string, facts: { readonly error: unknown; readonly accountId?: number }) => void;
  /** Called for payments that cannot be granted, for the alarm. */
  readonly onRefused: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}

export function connectPayments(parts: PaymentParts) {
  const { store, provider, clock, random, publicOrigin, recipientsOf, queue, onError, onRefused } = parts;
  const findAccount = async (accountId: number) => (await recipientsOf(accountId))[0];
  const shared = { store, provider, metering: parts.metering, plans: parts.plans, clock };
  const collecting = collection({
    ...shared,
    onError: (error, accountId) => onError('the collection of a plan could not be changed', { error, accountId }),
  });
  const notifying = notices({
    recipientsOf,
    send: parts.sendMail,
    async savedCard(accountId) {
      const { customer } = await store.profile(accountId);
      return customer === undefined ? undefined : provider.savedCard(customer);
    },
    publicOrigin,
    clock,
    onError: (error) => onError('an email about a payment could not be queued', { error }),
  });
  const toppingParts = { ...shared, watchBalance: parts.watchBalance, onFailure: notifying.topUpFailed };
  const settling = settlement({
    ...shared,
    newId: () => newRequestId(random),
    mark: collecting.mark,
    align: collecting.alignSoon,
    stopTopUp: topUpRules(toppingParts).stop,
    onChange: notifying.orderChanged,
    onMismatch: ({ accountId, id }, reason) =>
      onRefused('a payment could not be granted', { accountId, payment: id, reason }),
  });
  const buying = purchases({
    ...shared,
    settlement: settling,
    findAccount,
    enforceCheckoutLimit: parts.enforceCheckoutLimit,
    takeProviderCall: parts.takeProviderCall,
    onConfirmation: notifying.confirmationNeeded,
    publicOrigin,
    random,
  });
  const events = paymentEvents({
    ...shared,
    settlement: settling,
    align: collecting.align,
    queue,
    onRenewalFailed: notifying.renewalFailed,
    onForeign: (eventId, reason) => onRefused('a payment event names an unknown order', { eventId, reason }),
  });
  const topping = topUps({ ...toppingParts, purchases: buying, queue });
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
    /** Ends charges that a concurrent change started during the deletion. */
    alignCollection: collecting.alignSoon,
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
