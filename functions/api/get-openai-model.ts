import { routes } from '#contract/routes.ts';
import { listedModel } from '#domain/catalogue.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const getModel: Operation<typeof routes.getOpenAiModel> = (_, { input }) => listedModel(input.path.model);

export const handler = endpoint(routes.getOpenAiModel, getModel);
