import { routes } from '#contract/routes.ts';
import { listedModels } from '#domain/catalogue.ts';
import { endpoint } from '#runtime/endpoint.ts';
import type { Operation } from '#runtime/operation.ts';

const listModels: Operation<typeof routes.listOpenAiModels> = () => ({ object: 'list', data: listedModels() });

export const handler = endpoint(routes.listOpenAiModels, listModels);
