import { bedrockEmbeddings, type ContainerFamily } from '#contract/offer/offer.ts';
import type { ModelEndpoint } from '#contract/platform/model-endpoints.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Container } from './container.ts';
import type { ModelRuntime } from './runtime.ts';
import { tgi } from './tgi.ts';
import { bedrockChat, lmi, tei, vllm } from './vllm.ts';

/** Endpoints of each model, and its timeouts in ms. */
export interface ModelGatewaySettings {
  /** In the order of attempts. */
  readonly endpointsOf: (model: string) => readonly ModelEndpoint[] | undefined;
  /** Timeout for a whole reply, and for each chunk of a stream. */
  readonly deadlineMs: number;
  /** Timeout for a whole stream. */
  readonly streamDeadlineMs: number;
  readonly failures: RecentFailures;
  /** Called for each response of a model with several endpoints, with the endpoint's position from 1. */
  readonly onResponse?: (model: string, position: number) => void;
  /** Called for each endpoint of such a model that fails before its first output. */
  readonly onFailure?: (model: string, position: number, error: unknown) => void;
}

/** Shared by the calls of a gateway. */
export interface GatewayContext {
  readonly runtime: ModelRuntime;
  readonly settings: ModelGatewaySettings;
}

/** An endpoint with its API. */
export interface Served<Dialect> {
  readonly place: ModelEndpoint;
  /** From 1. */
  readonly position: number;
  readonly dialect: Dialect;
  /** The model's name there, if it requires one. */
  readonly servedName: string | undefined;
}

/** `openai`: servers with OpenAI's API. */
type Containers = Readonly<Partial<Record<ContainerFamily | 'openai', Container>>>;

/** Excludes audio requests, which are loaded on demand. */
const textContainers: Containers = { vllm, lmi, tgi, tei, openai: vllm };

/** Milliseconds for which a failed endpoint is tried after the others. */
const failedMs = 30_000;

/** The endpoints that failed recently. Shared by an execution environment. */
export class RecentFailures {
  readonly #failedAt = new Map<ModelEndpoint, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  add(endpoint: ModelEndpoint): void {
    this.#failedAt.set(endpoint, this.#now());
  }

  remove(endpoint: ModelEndpoint): void {
    this.#failedAt.delete(endpoint);
  }

  /** In the given order, but with recent failures last. */
  last<One extends { readonly place: ModelEndpoint }>(served: readonly One[]): readonly One[] {
    if (this.#failedAt.size === 0 || served.length < 2) return served;
    const since = this.#now() - failedMs;
    const hasFailed = ({ place }: One): boolean => (this.#failedAt.get(place) ?? Number.NEGATIVE_INFINITY) > since;
    return [...served.filter((one) => !hasFailed(one)), ...served.filter(hasFailed)];
  }
}

type AtLeastOne<One> = readonly [One, ...One[]];

/**
 * Returns the model's endpoints that have the capability, in the order of attempts. Throws SERVICE_UNAVAILABLE if the
 * model has none.
 */
function findServed<Dialect>(
  { settings }: GatewayContext,
  model: string,
  dialectOf: (container: Container) => Dialect | undefined,
  containers: Containers,
): AtLeastOne<Served<Dialect>> {
  const served = (settings.endpointsOf(model) ?? []).flatMap((place, index) => {
    const container = containerOf(place, containers);
    const dialect = container && dialectOf(container);
    const servedName = place.kind === 'sagemaker' ? place.servedName : place.model;
    return dialect ? [{ place, position: index + 1, dialect, servedName }] : [];
  });
  const [first, ...others] = settings.failures.last(served);
  if (!first) throw new ServiceError('SERVICE_UNAVAILABLE', `The model ${model} is not available.`);
  return [first, ...others];
}

function containerOf(place: ModelEndpoint, containers: Containers): Container | undefined {
  if (place.kind === 'sagemaker') return containers[place.family];
  if (place.kind === 'openai') return containers.openai;
  const { embeddings } = vllm;
  return bedrockEmbeddings.test(place.model) && embeddings ? { embeddings } : bedrockChat;
}

export interface Wanted<Dialect, Ready> {
  readonly context: GatewayContext;
  readonly model: string;
  readonly dialectOf: (container: Container) => Dialect | undefined;
  readonly containers?: Containers;
  /** Serializes and signs the request for an endpoint. Throws 400 if the endpoint lacks an option of the request. */
  readonly makeReady: (served: Served<Dialect>) => Ready;
}

/** Limits of the attempts of a call. */
export interface AttemptLimits {
  /** Milliseconds for all attempts: until the whole reply, or the first output of a stream. */
  readonly waitMs: number;
  readonly kind: 'whole' | 'stream';
  /** Whether the caller has cancelled the call, or its deadline has passed. */
  readonly isOver: () => boolean;
}

/** Sends a request to an endpoint, with a timeout of `waitMs` milliseconds. */
export type Send<Ready, Result> = (ready: Ready, waitMs: number, place: ModelEndpoint) => Promise<Result>;

/** A request to the endpoints of a model, in the order of attempts. */
export class Attempts<Dialect, Ready> {
  readonly #context: GatewayContext;
  readonly #model: string;
  readonly #served: AtLeastOne<Served<Dialect>>;
  readonly #makeReady: (served: Served<Dialect>) => Ready;
  /** The request to the first endpoint. */
  readonly first: Ready;

  constructor({ context, model, dialectOf, containers = textContainers, makeReady }: Wanted<Dialect, Ready>) {
    this.#context = context;
    this.#model = model;
    this.#makeReady = makeReady;
    const served = findServed(context, model, dialectOf, containers);
    [this.first, this.#served] = firstReady(served, makeReady);
  }

  get hasFallback(): boolean {
    return this.#served.length > 1;
  }

  /** Tries the endpoints in order until one responds. */
  respond<Result>(limits: AttemptLimits, send: Send<Ready, Result>): Promise<Result> {
    if (!this.hasFallback) return send(this.first, limits.waitMs, this.#served[0].place);
    return this.#respondInTurn(limits, send);
  }

  async #respondInTurn<Result>(limits: AttemptLimits, send: Send<Ready, Result>): Promise<Result> {
    const { firstResponse } = await import('./fallback.ts');
    const attempts = this.#served.map((served, index) => ({
      ...served,
      ready: () => (index === 0 ? this.first : this.#makeReady(served)),
    }));
    return firstResponse(attempts, send, limits, { model: this.#model, ...this.#context.settings });
  }
}

/**
 * Returns the request to the first endpoint that supports its options, and the endpoints from there. Throws 400 if no
 * endpoint does.
 */
function firstReady<Dialect, Ready>(
  [first, next, ...others]: AtLeastOne<Served<Dialect>>,
  makeReady: (served: Served<Dialect>) => Ready,
): [Ready, AtLeastOne<Served<Dialect>>] {
  try {
    return [makeReady(first), next ? [first, next, ...others] : [first]];
  } catch (error) {
    if (!next) throw error;
    return firstReady([next, ...others], makeReady);
  }
}
