import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { listedModels } from '#domain/inference/model-catalogue.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listModels: Operation<typeof inferenceRoutes.listModels> = () => listedModels();

export const handler = endpoint(inferenceRoutes.listModels, listModels);
