import type Stripe from 'stripe';
import * as v from 'valibot';
import { daySeconds } from '#contract/shared/time.ts';
import { invalidRequest, newId } from '../wire/errors.ts';
import { changedMetadata, flag, isInRange, metadata, range, text } from '../wire/params.ts';
import { listRoute, type Route, route } from '../wire/routes.ts';
import { required, update, type World, idOf } from '../world.ts';

/** Days until evidence is due. */
const evidenceDays = 20;

/** Opens a dispute, or with `warning_needs_response` an inquiry, which withdraws no funds. */
export function openDispute(
  world: World,
  charge: Stripe.Charge,
  status: 'needs_response' | 'warning_needs_response',
): Stripe.Dispute {
  const dispute: Stripe.Dispute = {
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: world.at(),
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: blankEvidence,
    evidence_details: {
      due_by: world.at() + evidenceDays * daySeconds,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'manual',
    },
    intended_submission_method: 'manual',
    is_charge_refundable: status === 'warning_needs_response',
    livemode: false,
    metadata: {},
    network_reason_code: '83',
    payment_intent: idOf(charge.payment_intent),
    reason: 'fraudulent',
    status,
  };
  world.save('dispute', dispute);
  world.save('charge', { ...charge, disputed: true });
  world.emit('charge.dispute.created', dispute);
  if (status === 'needs_response') world.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** Closes a dispute as won or lost. An inquiry can only be closed. */
export function closeDispute(world: World, dispute: Stripe.Dispute, outcome: 'won' | 'lost'): Stripe.Dispute {
  if (!isOpen(dispute)) throw invalidRequest('This dispute is already closed');
  const status = dispute.status.startsWith('warning_') ? 'warning_closed' : outcome;
  const closed = update(world, 'dispute', dispute, { status });
  world.emit('charge.dispute.closed', closed, { status: dispute.status });
  if (status === 'won') world.emit('charge.dispute.funds_reinstated', closed);
  return closed;
}

const isOpen = ({ status }: Stripe.Dispute): boolean => /needs_response|under_review/.test(status);

/** The newest dispute of a payment that is still open. */
export const openDisputeOf = (world: World, intent: string): Stripe.Dispute | undefined =>
  world.all('dispute').findLast((dispute) => dispute.payment_intent === intent && isOpen(dispute));

const blankEvidence: Stripe.Dispute.Evidence = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

export const disputeRoutes: readonly Route[] = [
  route('GET', '/v1/disputes/{id}', {}, ({ world, id }) => required(world, 'dispute', id)),
  route(
    'POST',
    '/v1/disputes/{id}',
    { metadata: v.exactOptional(metadata), submit: v.exactOptional(flag) },
    ({ world, id, params }) => {
      const dispute = required(world, 'dispute', id);
      const meta = changedMetadata(dispute.metadata, params.metadata);
      return update(world, 'dispute', dispute, { metadata: meta }, 'charge.dispute.updated');
    },
  ),
  route('POST', '/v1/disputes/{id}/close', {}, ({ world, id }) =>
    closeDispute(world, required(world, 'dispute', id), 'lost'),
  ),
  listRoute(
    '/v1/disputes',
    { charge: v.exactOptional(text()), payment_intent: v.exactOptional(text()), created: v.exactOptional(range) },
    ({ world, params: { charge, payment_intent: intent, created } }) =>
      world
        .all('dispute')
        .filter(
          (dispute) =>
            (charge === undefined || dispute.charge === charge) &&
            (intent === undefined || dispute.payment_intent === intent) &&
            isInRange(dispute.created, created),
        ),
  ),
];

/** Reports a payment as probably fraudulent, before a dispute. */
export function warnOfFraud(world: World, charge: Stripe.Charge): void {
  const warning: Stripe.Radar.EarlyFraudWarning = {
    id: newId('issfr'),
    object: 'radar.early_fraud_warning',
    actionable: !charge.refunded && !charge.disputed,
    charge: charge.id,
    created: world.at(),
    fraud_type: 'unauthorized_use_of_card',
    livemode: false,
    payment_intent: idOf(charge.payment_intent) ?? '',
  };
  world.save('radar.early_fraud_warning', warning);
  world.emit('radar.early_fraud_warning.created', warning);
}

export const fraudWarningRoutes: readonly Route[] = [
  route('GET', '/v1/radar/early_fraud_warnings/{id}', {}, ({ world, id }) =>
    required(world, 'radar.early_fraud_warning', id),
  ),
  listRoute(
    '/v1/radar/early_fraud_warnings',
    { charge: v.exactOptional(text()), payment_intent: v.exactOptional(text()) },
    ({ world, params: { charge, payment_intent: intent } }) =>
      world
        .all('radar.early_fraud_warning')
        .filter(
          (warning) =>
            (charge === undefined || warning.charge === charge) &&
            (intent === undefined || warning.payment_intent === intent),
        ),
  ),
];
