import type { ContainerFamily } from '#contract/offer/offer.ts';
import type { ModelEndpoint } from '#contract/platform/model-endpoints.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Container } from './container.ts';
import type { ModelRuntime } from './runtime.ts';
import { tei } from './tei.ts';
import { tgi } from './tgi.ts';
import { lmi, vllm } from './vllm.ts';

/** Location of each model, and its timeouts in ms. */
export interface ModelGatewaySettings {
  readonly endpointOf: (model: string) => ModelEndpoint | undefined;
  /** Timeout for a whole reply, and for each chunk of a stream. */
  readonly deadlineMs: number;
  /** Timeout for a whole stream. */
  readonly streamDeadlineMs: number;
}

/** Shared by the calls of a gateway. */
export interface GatewayContext {
  readonly runtime: ModelRuntime;
  readonly settings: ModelGatewaySettings;
}

export interface Served<Dialect> extends ModelEndpoint {
  readonly dialect: Dialect;
}

type Containers = Readonly<Partial<Record<ContainerFamily, Container>>>;

/** Excludes audio requests, which are loaded on demand. */
const textContainers: Containers = { vllm, lmi, tgi, tei };

/**
 * Returns the model's location and container API. Throws SERVICE_UNAVAILABLE if the model is not deployed or lacks the
 * capability.
 */
export function findServed<Dialect>(
  { settings }: GatewayContext,
  model: string,
  dialectOf: (container: Container) => Dialect | undefined,
  containers: Containers = textContainers,
): Served<Dialect> {
  const endpoint = settings.endpointOf(model);
  const container = endpoint && containers[endpoint.family];
  const dialect = container && dialectOf(container);
  if (!endpoint || !dialect) throw new ServiceError('SERVICE_UNAVAILABLE', `The model ${model} is not available.`);
  return { ...endpoint, dialect };
}
