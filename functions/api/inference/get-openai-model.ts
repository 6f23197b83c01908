import { openAiRoutes } from '#contract/routes/openai.ts';
import { listedModel } from '#domain/inference/model-catalogue.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getModel: Operation<typeof openAiRoutes.getOpenAiModel> = (_, { input }) => listedModel(input.path.model);

export const handler = endpoint(openAiRoutes.getOpenAiModel, getModel);
