import { openAiRoutes } from '#contract/routes/inference/openai.ts';
import { listedModel } from '#domain/inference/model-catalogue.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const getModel: Operation<typeof openAiRoutes.getOpenAiModel> = (_, { input }) => listedModel(input.path.model);

export const handler = endpoint(openAiRoutes.getOpenAiModel, getModel);
