import { microPerCredit } from '#contract/billing/prices.ts';
import type { AccountEvent } from '#domain/webhooks/events.ts';

/** The state of an account derived from its events alone. Throws on an event that contradicts an earlier one. */
export class Follower {
  subscription: { id: string; plan: string; status: 'active' | 'cancelled' } | undefined;
  /** Number of started months of the subscription, and the end of the newest. */
  renewals = 0;
  periodEnd: string | undefined;
  readonly keys = new Set<string>();
  /** Microcredits granted and expired, without charges. */
  granted = 0;
  expired = 0;
  readonly seen: string[] = [];

  take(events: readonly AccountEvent[]): void {
    for (const event of events) {
      this.seen.push(event.type);
      this.#take(event);
    }
  }

  #take(event: AccountEvent): void {
    const { subscription } = this;
    switch (event.type) {
      case 'credits.granted':
        this.granted += Math.round(event.data.credits * microPerCredit);
        return;
      case 'credits.expired':
        this.expired += Math.round(event.data.credits * microPerCredit);
        return;
      case 'subscription.created':
        demand(subscription === undefined, event);
        this.subscription = { id: event.data.subscriptionId, plan: event.data.planId, status: 'active' };
        this.renewals = 0;
        this.periodEnd = undefined;
        return;
      case 'subscription.renewed':
        demand(subscription?.id === event.data.subscriptionId && subscription.status === 'active', event);
        demand(this.periodEnd === undefined || this.periodEnd === event.data.periodStart, event);
        this.renewals += 1;
        this.periodEnd = event.data.periodEnd;
        return;
      case 'subscription.upgraded':
      case 'subscription.downgraded':
        demand(subscription?.plan === event.data.previousPlanId && subscription.status === 'active', event);
        this.subscription = { ...subscription!, plan: event.data.planId };
        return;
      case 'subscription.cancelled':
        demand(subscription?.status === 'active', event);
        this.subscription = { ...subscription!, status: 'cancelled' };
        return;
      case 'subscription.resumed':
        demand(subscription?.status !== 'active', event);
        demand(!subscription || subscription.plan === event.data.planId, event);
        this.subscription = { id: event.data.subscriptionId, plan: event.data.planId, status: 'active' };
        this.periodEnd = undefined;
        return;
      case 'subscription.expired':
        demand(subscription?.id === event.data.subscriptionId, event);
        this.subscription = undefined;
        return;
      case 'key.created':
        demand(!this.keys.has(event.data.keyId), event);
        this.keys.add(event.data.keyId);
        return;
      case 'key.rotated':
        demand(this.keys.delete(event.data.previousKeyId), event);
        this.keys.add(event.data.keyId);
        return;
      case 'key.revoked':
        demand(this.keys.delete(event.data.keyId), event);
        return;
      case 'transcription.completed':
      case 'transcription.failed':
      case 'credits.low':
      case 'credits.exhausted':
      case 'key.limit_reached':
      case 'alert.triggered':
      case 'message.sent':
      case 'message.delivered':
      case 'message.undelivered':
      case 'message.failed':
      case 'webhook.test':
    }
  }
}

function demand(isSo: boolean, event: AccountEvent): void {
  if (!isSo) throw new Error(`does not follow from the events before: ${JSON.stringify(event)}`);
}
