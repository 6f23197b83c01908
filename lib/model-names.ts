import type { ModelEndpoint } from '#contract/platform/model-endpoints.ts';
import type { Stage } from './stage.ts';

/** Name of the endpoint that a stage creates for a model, and of the component that runs on it. */
export const hostedName = ({ name }: Pick<Stage, 'name'>, model: string): string => `text-ai-${name}-${model}`;

/** Endpoint of every model of the catalogue: created by the stage, named by the stage, else the catalogue's. */
export function endpointsOf(stage: Stage): ReadonlyMap<string, ModelEndpoint> {
  const hosted = Object.entries(stage.models.hosted).map(([model, { family }]): [string, ModelEndpoint] => {
    const endpoint = hostedName(stage, model);
    return [model, { endpoint, family, component: endpoint }];
  });
  return new Map([...stage.models.endpoints, ...hosted]);
}
