import { creditRoutes } from '#contract/routes/billing/credits.ts';
import { pricedServices } from '#domain/inference/model-catalogue.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listServices: Operation<typeof creditRoutes.listServices> = () => ({ services: pricedServices() });

export const handler = endpoint(creditRoutes.listServices, listServices);
