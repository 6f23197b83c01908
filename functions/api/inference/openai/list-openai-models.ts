import { openAiRoutes } from '#contract/routes/inference/openai.ts';
import { listedModels } from '#domain/inference/model-catalogue.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listModels: Operation<typeof openAiRoutes.listOpenAiModels> = () => ({ object: 'list', data: listedModels() });

export const handler = endpoint(openAiRoutes.listOpenAiModels, listModels);
