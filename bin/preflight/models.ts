import { DescribeEndpointCommand } from '@aws-sdk/client-sagemaker';
import {
  paginateListAWSDefaultServiceQuotas,
  paginateListServiceQuotas,
  type ServiceQuota,
} from '@aws-sdk/client-service-quotas';
import { endpointsOf, type Stage } from '#lib/stage.ts';
import type { Clients } from './clients.ts';
import { type Finding, missing, ok } from './result.ts';

export function hostedInstances({ models: { hosted } }: Stage): ReadonlyMap<string, number> {
  const byType = Map.groupBy(Object.values(hosted), ({ instanceType }) => instanceType);
  const sum = (models: readonly { readonly maxReplicas: number }[]) =>
    models.reduce((instances, { maxReplicas }) => instances + maxReplicas, 0);
  return new Map([...byType].map(([type, models]) => [type, sum(models)]));
}

export function namedEndpoints(stage: Stage): ReadonlyMap<string, readonly string[]> {
  const named = [...endpointsOf(stage)].filter(([model]) => !(model in stage.models.hosted));
  const byEndpoint = Map.groupBy(named, ([, { endpoint }]) => endpoint);
  return new Map([...byEndpoint].map(([endpoint, entries]) => [endpoint, entries.map(([model]) => model)]));
}

export async function checkInstances({ quotas }: Clients, type: string, needed: number): Promise<Finding> {
  const name = `${type} for endpoint usage`;
  const query = { ServiceCode: 'sagemaker', MaxResults: 100 };
  const applied = paginateListServiceQuotas({ client: quotas }, query);
  const defaults = paginateListAWSDefaultServiceQuotas({ client: quotas }, query);
  const quota = (await findQuota(applied, name)) ?? (await findQuota(defaults, name));
  if (quota === undefined) return missing(`There is no quota “${name}”: choose an instance type of the region.`);
  if (quota >= needed) return ok(`${needed} of ${quota} instances`);
  return missing(`The quota “${name}” is ${quota}, the stage needs ${needed}: request it (Service Quotas, SageMaker).`);
}

async function findQuota(pages: AsyncIterable<{ Quotas?: ServiceQuota[] | undefined }>, name: string) {
  for await (const { Quotas = [] } of pages) {
    const quota = Quotas.find(({ QuotaName }) => QuotaName === name);
    if (quota) return quota.Value ?? 0;
  }
  return undefined;
}

export async function checkEndpoint({ sageMaker }: Clients, EndpointName: string): Promise<Finding> {
  try {
    const { EndpointStatus } = await sageMaker.send(new DescribeEndpointCommand({ EndpointName }));
    if (EndpointStatus === 'InService') return ok(`${EndpointName} is InService`);
    return missing(`${EndpointName} is ${EndpointStatus}: its models return 503 until it is InService.`);
  } catch (error) {
    if (!(error instanceof Error && /could not find endpoint/i.test(error.message))) throw error;
    return missing(`${EndpointName} does not exist: create it, or set models.endpoints or models.hosted of the stage.`);
  }
}
