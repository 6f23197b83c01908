import * as v from 'valibot';
import { type OperationPlace, operationPlace, jobName } from '#contract/handlers.ts';
import type { Job } from '#contract/jobs.ts';
import { unknownRouteId } from '#contract/routes.ts';
import type { LambdaHandler } from './lambda-runtime.ts';

const Handler = v.custom<LambdaHandler>((value) => typeof value === 'function', 'must be a function');

/** The handler of a route, loaded by its first call, as its Lambda function's entry point builds it. Rejects if it does not load. */
export async function apiHandler(id: string): Promise<LambdaHandler> {
  return v.parse(Handler, id === unknownRouteId ? await unknownRouteHandler() : await routeHandler(operationPlace(id)));
}

async function unknownRouteHandler() {
  return (await import('#runtime/unknown-route.ts')).unknownRoute();
}

async function routeHandler({ file, name, route }: OperationPlace) {
  const { [name]: operation } = await import(/* @vite-ignore */ `#api/${file}.ts`);
  if (operation === undefined) throw new Error(`functions/api/${file}.ts does not export ${name}`);
  if (route.priced) return (await import('#runtime/priced-endpoint.ts')).pricedEndpoint(route, operation);
  return (await import('#runtime/endpoint.ts')).endpoint(route, operation);
}

/** The handler of a job. */
export async function jobHandler({ feature, id }: Pick<Job, 'id' | 'feature'>): Promise<LambdaHandler> {
  const { [jobName(id)]: build } = await import(/* @vite-ignore */ `#jobs/${feature}.ts`);
  return v.parse(Handler, build());
}
