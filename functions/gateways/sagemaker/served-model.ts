import type { ContainerFamily } from '#contract/inference/models.ts';
import type { ModelEndpoint } from '#contract/platform/model-endpoints.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Container } from './container.ts';
import type { ModelRuntime } from './runtime.ts';
import { tei } from './tei.ts';
import { tgi } from './tgi.ts';
import { lmi, vllm } from './vllm.ts';

/** Where each model runs, and how many milliseconds it may take. */
export interface ModelGatewaySettings {
  readonly endpointOf: (model: string) => ModelEndpoint | undefined;
  /** For a whole reply, and for each wait for a chunk of a stream. */
  readonly deadlineMs: number;
  /** For a stream from its beginning to its end. */
  readonly streamDeadlineMs: number;
}

/** What a gateway's calls have in common. */
export interface GatewayContext {
  readonly runtime: ModelRuntime;
  readonly settings: ModelGatewaySettings;
}

export interface Served<Dialect> extends ModelEndpoint {
  readonly dialect: Dialect;
}

type Containers = Readonly<Partial<Record<ContainerFamily, Container>>>;

/** Those of audio are loaded where it is. */
const textContainers: Containers = { vllm, lmi, tgi, tei };

/** Where a model is, and how to speak to it there. Throws SERVICE_UNAVAILABLE for one that is not there, or cannot do this. */
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
