import { openAiRoutes } from '#contract/routes/inference/openai.ts';
import type { EmbeddingsOrder } from '#domain/inference/model-order.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof openAiRoutes.createOpenAiEmbeddings;

const orderEmbeddings: OrderOf<Route, EmbeddingsOrder> = ({ inference }, body, prove) =>
  inference().orderEmbeddings(body, prove);

const createEmbeddings: PricedOperation<Route, EmbeddingsOrder> = async ({ inference }, { order, setCost }) => {
  const { body, cost } = await inference().embed(order);
  setCost(cost);
  return body;
};

export const handler = pricedEndpoint(openAiRoutes.createOpenAiEmbeddings, orderEmbeddings, createEmbeddings);
