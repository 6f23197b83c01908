import type { Completion } from '#contract/inference/requests.ts';
import { openAiRoutes } from '#contract/routes/inference/openai.ts';
import { openAiCompletion } from '#domain/inference/completion/openai-completion.ts';
import type { CompletionOrder } from '#domain/inference/model-order.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof openAiRoutes.createOpenAiCompletion;
type Order = CompletionOrder<Completion>;

const orderCompletion: OrderOf<Route, Order> = ({ inference }, body, prove) =>
  inference().orderCompletion(body, openAiCompletion(body), prove);

const createCompletion: PricedOperation<Route, Order> = async ({ inference }, { order, requestId, setCost }) => {
  if (order.stream) return inference().streamCompletion(order, requestId);
  const { body, cost } = await inference().complete(order, requestId);
  setCost(cost);
  return body;
};

export const handler = pricedEndpoint(openAiRoutes.createOpenAiCompletion, orderCompletion, createCompletion);
