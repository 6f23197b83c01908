import { ProviderUnavailable } from '#domain/payments/provider.ts';
import type { Draws } from './draws.ts';

export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';
}

/** Failures of network and machine. A number is the average count of requests per failure; Infinity means never. */
export interface Failures {
  /** The provider refuses every request. */
  isProviderDown: boolean;
  isQueueDown: boolean;
  /** The request does not arrive, or its effect is made and its response lost. */
  lost: number;
  /** A write of the database takes effect, but its repetition by the client reports a conflict. */
  conflict: number;
  /** The process ends, before or after the effect. */
  end: number;
}

interface ProcessContext {
  readonly draws: Draws;
  readonly failures: Failures;
  /** Moves the clock by the duration of a request, in milliseconds. */
  readonly elapse: (ms: number) => void;
}

/** A process of the service: one run of a function. It ends at a random request, and then does nothing more. */
export class Process {
  #hasEnded = false;
  readonly #context: ProcessContext;

  constructor(context: ProcessContext) {
    this.#context = context;
  }

  /** A request to the provider. */
  async request<T>(effect: () => T): Promise<T> {
    const { draws, failures } = this.#context;
    await this.#arrive(400);
    if (failures.isProviderDown) throw new ProviderUnavailable('the provider is down');
    const isLost = happens(draws, failures.lost);
    if (isLost && draws.isOneIn(2)) throw new ProviderUnavailable('the request was lost');
    const result = this.#endsAround(effect);
    if (isLost) throw new ProviderUnavailable('the response was lost');
    await this.#pause();
    return result;
  }

  async read<T>(effect: () => T): Promise<T> {
    await this.#arrive(5);
    return effect();
  }

  /** A write. `conflict` returns the result of a repetition, unless the write recognizes its own repetition. */
  async write<T>(effect: () => T, conflict?: () => T): Promise<T> {
    await this.#arrive(10);
    const result = this.#endsAround(effect);
    await this.#pause();
    return conflict && happens(this.#context.draws, this.#context.failures.conflict) ? conflict() : result;
  }

  async send(effect: () => void): Promise<void> {
    await this.#arrive(10);
    if (this.#context.failures.isQueueDown) throw new Error('the queue is down');
    this.#endsAround(effect);
  }

  async #arrive(ms: number): Promise<void> {
    this.#context.elapse(1 + this.#context.draws.below(ms));
    await this.#pause();
  }

  /** Lets concurrent processes run, so that their requests interleave in a random order. */
  async #pause(): Promise<void> {
    for (let turns = this.#context.draws.below(4); turns > 0; turns--) await Promise.resolve();
    this.#refuseIfEnded();
  }

  #endsAround<T>(effect: () => T): T {
    const { draws, failures } = this.#context;
    const ends = happens(draws, failures.end);
    if (ends && draws.isOneIn(2)) this.#hasEnded = true;
    this.#refuseIfEnded();
    const result = effect();
    this.#hasEnded ||= ends;
    this.#refuseIfEnded();
    return result;
  }

  #refuseIfEnded(): void {
    if (this.#hasEnded) throw new ProcessEnded('the process has ended');
  }
}

const happens = (draws: Draws, oneIn: number): boolean => oneIn !== Infinity && draws.isOneIn(oneIn);
