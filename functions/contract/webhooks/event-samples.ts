import { planAt, soldPlans } from '../billing/plans.ts';
import type { WebhookData, WebhookEventType } from './webhooks.ts';

const ofAccount = { accountId: 4_815_162_342_000_042, seq: 17 };
/** The plan below the plan of the samples, if any. */
const smallerPlan = planAt(Math.min(3, soldPlans.length - 1) - 1);
const ofSubscription = { ...ofAccount, subscriptionId: 'hV3kQ9sTz1LmXw7RbYc', planId: planAt(3) } as const;
const ofKey = { ...ofAccount, keyId: 'ZikUGV_viFek85kURX0TUw' };

const ofMessage = {
  accountId: ofAccount.accountId,
  messageId: 'msg_1o8Gp2Qw7XzLmYbcV3kT',
  channel: 'sms',
  failure: null,
  country: 'US',
  segments: 1,
  reference: 'order-4711',
  credits: 2,
} as const;
const transcriptionId = 'trn_0V3kQ9sTz1LmXw7RbYcP';

/** Example data of each event, for the API reference. */
export const eventSamples: { readonly [Type in WebhookEventType]: WebhookData<Type> } = {
  'credits.granted': { ...ofAccount, credits: 100_000, source: 'plan', balance: 112_500.25 },
  'credits.low': { ...ofAccount, balance: 19_999.5 },
  'credits.exhausted': { ...ofAccount, balance: 0.25 },
  'credits.expired': { ...ofAccount, credits: 1200.5, balance: 100_000 },
  'subscription.created': ofSubscription,
  'subscription.renewed': {
    ...ofSubscription,
    periodStart: '2027-02-15T09:00:00.000Z',
    periodEnd: '2027-03-15T09:00:00.000Z',
  },
  'subscription.upgraded': { ...ofSubscription, previousPlanId: smallerPlan },
  'subscription.downgraded': { ...ofSubscription, planId: smallerPlan, previousPlanId: planAt(3) },
  'subscription.cancelled': {
    ...ofSubscription,
    endsAt: '2027-03-15T09:00:00.000Z',
    creditsExpireAt: '2027-03-20T10:30:00.000Z',
  },
  'subscription.resumed': ofSubscription,
  'subscription.expired': ofSubscription,
  'key.created': ofKey,
  'key.rotated': { ...ofKey, previousKeyId: 'b8Qx2LmN5kPzR7sTvWyA1c', previousExpiresAt: '2027-02-16T09:00:00.000Z' },
  'key.revoked': ofKey,
  'key.limit_reached': {
    ...ofKey,
    limit: { credits: 500, period: 'day' },
    used: 499.75,
    resetsAt: '2027-02-16T00:00:00.000Z',
  },
  'alert.triggered': { ...ofAccount, kind: 'balance_below', value: 5000, keyId: null, balance: 4999.5 },
  'message.sent': ofMessage,
  'message.delivered': ofMessage,
  'message.undelivered': { ...ofMessage, failure: 'unreachable' },
  'message.failed': { ...ofMessage, failure: 'number_invalid', credits: 0 },
  'transcription.completed': { ...ofAccount, transcriptionId, durationSeconds: 3725.4, credits: 372.6 },
  'transcription.failed': { ...ofAccount, transcriptionId, status: 'failed', credits: 0 },
  'webhook.test': { accountId: ofAccount.accountId, webhookId: 'whk_Q7wXz1LmbYcV3kTs' },
};
