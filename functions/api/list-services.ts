import { routes } from '#contract/routes.ts';
import { pricedServices } from '#domain/catalogue.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listServices: Operation<typeof routes.listServices> = () => ({ services: pricedServices() });

export const handler = endpoint(routes.listServices, listServices);
