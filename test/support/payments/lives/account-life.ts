import { type PlanLimits, planOfRank, type Plans } from '#contract/billing/plans.ts';
import type { PaymentWork } from '#contract/payments/payments.ts';
import { openMeter, renewals } from '#domain/billing/grants.ts';
import { subscriptionService } from '#domain/billing/subscriptions.ts';
import { metering } from '#domain/meter/metering.ts';
import { queueDue } from '#domain/payments/order.ts';
import { ProviderUnavailable } from '#domain/payments/provider.ts';
import type { MessageQueue } from '#domain/shared/ports.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import { connectPayments } from '#runtime/services/payments.ts';
import { Bank, type BankEvent } from './bank.ts';
import { Draws } from './draws.ts';
import { type KeyedResult, memoryProvider } from './memory-provider.ts';
import { memoryMeters, memoryOrders, Rows } from './memory-stores.ts';
import { type Failures, Process, ProcessEnded } from './process.ts';
import { type SoldPlan, soldPlans } from './sold.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Waits between deliveries of an event that the endpoint refuses. Then the provider gives up. */
const deliveryWaits = [
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
  10 * hour,
  10 * hour,
  10 * hour,
];

/** Deliveries of a message. Then it waits for an operator. */
const maxDeliveries = 5;

interface Delivery {
  readonly event: BankEvent;
  at: number;
  tries: number;
}

interface Message {
  readonly work: PaymentWork;
  at: number;
  tries: number;
}

export type Services = ReturnType<AccountLife['boot']>;

/**
 * An account with the service's domain over rows and a provider in memory, and a clock. Each run is a separate process
 * that can end at any request. Queue, sweep, daily comparison and events run while the clock moves.
 */
export class AccountLife {
  readonly draws: Draws;
  readonly bank: Bank;
  readonly rows: Rows;
  readonly failures: Failures = {
    isProviderDown: false,
    isQueueDown: false,
    lost: Infinity,
    conflict: Infinity,
    end: Infinity,
  };
  /** Maximum delay of jobs in milliseconds. */
  lateness = 5 * minute;
  /** One event in so many is repeated, late or never delivered. */
  unreliableEvents = Infinity;
  isDeleted = false;
  isHoldCleared = false;
  hasSpent = false;
  /** The number of transfers of the organization so far. */
  owner = 0;
  /** Whether the queue refused an update of the customer's address. */
  isAddressLost = false;
  /** All versions of the plans that were sold, oldest first. */
  readonly sold: SoldPlan[] = soldPlans.map((plan) => ({ ...plan, from: 0 }));
  isHoldingEvents = false;
  /** Acts so far that cancel a plan at most once each. */
  mayCancel = 0;
  /** Wrong results of acts. */
  readonly problems: string[] = [];
  readonly refused: string[] = [];
  readonly errors: string[] = [];
  /** Events of the life, for the report of a failure. */
  readonly history: string[] = [];
  deadMessages: Message[] = [];
  #time: number;
  readonly #keys = new Map<string, KeyedResult>();
  readonly #offer = new Map<number, Pick<PlanLimits, 'price' | 'creditsPerMonth'>>();
  readonly #plans: Plans = (rank) => ({ ...planOfRank(rank), ...this.#offer.get(rank) });
  #deliveries: Delivery[] = [];
  #held: BankEvent[] = [];
  #messages: Message[] = [];
  #sweptAt = 0;
  #sweepWait = 0;
  #meterWait = 0;
  #dailyAt: number;

  constructor(seed: number) {
    this.draws = new Draws(seed);
    const start = Date.UTC(2027, this.draws.below(12), 1 + this.draws.below(31), this.draws.below(24)) / 1000;
    this.#time = start * 1000 + this.draws.below(3_600_000);
    this.#dailyAt = this.#time + day;
    this.bank = new Bank(this.seconds);
    this.bank.onEvent = (event) => {
      this.note(`${event.type} ${event.objectId}`);
      this.#schedule(event);
    };
    const { meter, entries } = openMeter(1000 + (seed % 1000), this.seconds, this.#plans);
    this.rows = new Rows(meter, entries);
    this.rows.onLow = () => this.#enqueue({ do: 'top-up', accountId: this.id });
  }

  get id(): number {
    return this.rows.accountId;
  }
  get address(): string {
    return `${this.id}-${this.owner}@example.com`;
  }
  get now(): number {
    return this.#time;
  }
  get seconds(): number {
    return Math.floor(this.#time / 1000);
  }

  get #sweepAt(): number {
    return Math.max(this.#sweptAt + minute, this.rows.nextDue() + 1000) + this.#sweepWait;
  }
  get #meterAt(): number {
    return this.rows.meter.due * 1000 + this.#meterWait;
  }

  /** A process with the service's domain. */
  boot() {
    const { rows, draws, failures } = this;
    const elapse = (ms: number): void => {
      this.#time += ms;
      this.bank.advance(this.seconds);
    };
    const process = new Process({ draws, failures, elapse });
    const clock = { now: () => (this.#time += 1) };
    const random = { bytes: (size: number) => draws.bytes(size) };
    const meters = metering(memoryMeters(rows, process), renewals(this.#plans));
    const store = memoryOrders(rows, process);
    const queue: MessageQueue = {
      send: (message) => process.send(() => this.#enqueue(message as PaymentWork)),
    };
    const payments = connectPayments({
      store,
      provider: memoryProvider(this.bank, this.#keys, process),
      metering: meters,
      plans: this.#plans,
      clock,
      random,
      publicOrigin: 'https://service.example',
      recipientsOf: async (id) => (this.isDeleted ? [] : [{ id, email: this.address, confirmedAt: 1 } as never]),
      enforceCheckoutLimit: async () => undefined,
      takeProviderCall: async () => 0,
      queue: async () => queue,
      sendMail: async () => undefined,
      watchBalance: (_id, topUpBelow) =>
        process.write(() => {
          const { topUpBelow: _before, ...meter } = rows.meter;
          rows.meter = { ...meter, ...(topUpBelow !== undefined && { topUpBelow }) };
        }),
      onError: (_message, { error }) => this.#failed(error),
      onRefused: (_message, { reason }) => this.refused.push(String(reason)),
    });
    const plans = subscriptionService(
      meters,
      { payments: async () => payments.planPayments, enforceChangeLimit: async () => undefined },
      this.#plans,
      clock,
      random,
    );
    const sweep = () => queueDue(store, queue, this.#time, new AbortController().signal);
    return { ...payments, plans, meters, sweep, queue };
  }

  /** Runs work in a process of its own. Returns whether it succeeded. */
  async run(work: (services: Services) => Promise<unknown>): Promise<boolean> {
    this.bank.advance(this.seconds);
    try {
      await work(this.boot());
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  note(text: string): void {
    this.history.push(`${new Date(this.#time).toISOString()} ${text}`);
  }

  #failed(error: unknown): void {
    this.note(error instanceof ServiceError ? `refused: ${error.code} ${error.detail}` : String(error));
    const isExpected = [ServiceError, ProcessEnded, ProviderUnavailable].some((type) => error instanceof type);
    if (!isExpected && String(error) !== 'Error: the queue is down') this.errors.push(String(error));
  }

  /** Sells a plan on other terms from now on. Every version has its own price, so that a charge names its version. */
  sell(rank: number, price: number, credits: number): void {
    let cents = price;
    while (this.sold.some((one) => one.cents === cents)) cents += 1;
    this.#offer.set(rank, { price: cents / 100, creditsPerMonth: credits });
    this.sold.push({ rank, cents, credits, from: this.seconds });
    this.note(`plan ${rank} costs ${cents} for ${credits}`);
  }

  /** Delivers the held events in reverse. */
  releaseEvents(): void {
    this.isHoldingEvents = false;
    for (const event of this.#held.splice(0).toReversed())
      this.#deliveries.push({ event, at: this.#time + this.#deliveries.length, tries: 0 });
  }

  /** Moves the clock, and runs all due work. */
  async advance(ms: number): Promise<void> {
    const target = this.#time + ms;
    for (let turn = 0; ; turn++) {
      if (turn === 20_000) throw new Error('the clock does not advance, because something is always due');
      const next = Math.min(
        this.bank.nextDue() * 1000,
        this.#sweepAt,
        this.#meterAt,
        this.#dailyAt,
        ...this.#deliveries.map(({ at }) => at),
        ...this.#messages.map(({ at }) => at),
      );
      if (next > target) break;
      this.#time = Math.max(this.#time, next);
      this.bank.advance(this.seconds);
      await this.#doDue();
    }
    this.#time = Math.max(this.#time, target);
  }

  /** Repeats dead messages, as an operator does after removing the cause. */
  redrive(): void {
    for (const { work } of this.deadMessages.splice(0)) this.#enqueue(work);
  }

  async #doDue(): Promise<void> {
    const isDue = ({ at }: { readonly at: number }) => at <= this.#time;
    const [deliveries, messages] = [this.#deliveries.filter(isDue), this.#messages.filter(isDue)];
    this.#deliveries = this.#deliveries.filter((one) => !isDue(one));
    this.#messages = this.#messages.filter((one) => !isDue(one));
    const work = [
      ...deliveries.map((one) => () => this.#deliver(one)),
      ...messages.map((one) => () => this.#handle(one)),
    ];
    if (this.draws.isOneIn(2)) await Promise.all(work.map((one) => one()));
    else for (const one of work) await one();
    if (this.#meterAt <= this.#time) {
      this.#meterWait = this.draws.below(this.lateness);
      await this.run(({ meters }) => meters.current(this.id, this.#time));
    }
    if (this.#sweepAt <= this.#time) {
      [this.#sweptAt, this.#sweepWait] = [this.#time, this.draws.below(this.lateness)];
      await this.run(({ sweep }) => sweep());
    }
    if (this.#dailyAt <= this.#time) {
      this.#dailyAt = this.#time + day + this.draws.below(this.lateness);
      await this.run(({ reconciliation }) => reconciliation.fromProvider());
    }
  }

  #enqueue(work: PaymentWork): void {
    this.#messages.push({ work, at: this.#time + this.draws.below(2000), tries: 0 });
    if (this.unreliableEvents !== Infinity && this.draws.isOneIn(20))
      this.#messages.push({ work, at: this.#time + this.draws.below(10 * minute), tries: 0 });
  }

  #schedule(event: BankEvent): void {
    if (this.isHoldingEvents) return void this.#held.push(event);
    const soon = () => this.#time + 500 + this.draws.below(5000);
    const isUnreliable = this.unreliableEvents !== Infinity && this.draws.isOneIn(this.unreliableEvents);
    const fate = isUnreliable ? this.draws.below(4) : 0;
    if (fate === 3) return;
    this.#deliveries.push({ event, at: fate === 2 ? this.#time + this.draws.below(3 * day) : soon(), tries: 0 });
    if (fate === 1) this.#deliveries.push({ event, at: this.#time + this.draws.below(2 * day), tries: 0 });
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { event } = delivery;
    const isStored = await this.run(({ events }) => events.receive(Buffer.from(JSON.stringify(event.id)), 'signature'));
    if (isStored) event.isDelivered = true;
    else {
      const wait = deliveryWaits[delivery.tries];
      if (wait === undefined) return;
      this.#deliveries.push({ event, at: this.#time + wait, tries: delivery.tries + 1 });
    }
  }

  async #handle(message: Message): Promise<void> {
    if (await this.run((services) => services.handle(message.work))) return;
    const tries = message.tries + 1;
    if (tries === maxDeliveries) this.deadMessages.push(message);
    else this.#messages.push({ ...message, tries, at: this.#time + 6 * minute });
  }
}
