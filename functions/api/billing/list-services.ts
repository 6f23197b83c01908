import { creditRoutes } from '#contract/routes/credits.ts';
import { pricedServices } from '#domain/inference/model-catalogue.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listServices: Operation<typeof creditRoutes.listServices> = () => ({ services: pricedServices() });

export const handler = endpoint(creditRoutes.listServices, listServices);
