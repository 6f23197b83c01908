import type { Completion } from '#contract/inference/requests.ts';
import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import { specifiedCompletion } from '#domain/inference/completion/completion.ts';
import type { CompletionOrder } from '#domain/inference/model-order.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof inferenceRoutes.createCompletion;
type Order = CompletionOrder<Completion>;

const orderCompletion: OrderOf<Route, Order> = ({ inference }, body, prove) =>
  inference().orderCompletion(body, specifiedCompletion, prove);

const createCompletion: PricedOperation<Route, Order> = async ({ inference }, { order, requestId, setCost }) => {
  if (order.stream) return inference().streamCompletion(order, requestId);
  const { body, cost } = await inference().complete(order, requestId);
  setCost(cost);
  return body;
};

export const handler = pricedEndpoint(inferenceRoutes.createCompletion, orderCompletion, createCompletion);
