import { routes } from '#contract/routes.ts';
import type { CompletionOrder } from '#domain/inference.ts';
import { pricedEndpoint } from '#runtime/endpoint.ts';
import type { OrderOf, PricedOperation } from '#runtime/operation.ts';

type Route = typeof routes.createCompletion;

const orderCompletion: OrderOf<Route, CompletionOrder> = ({ inference }, body) => inference().orderCompletion(body);

const createCompletion: PricedOperation<Route, CompletionOrder> = async (
  { inference },
  { order, requestId, setCost },
) => {
  if (order.stream) return inference().streamCompletion(order, requestId);
  const { answer, cost } = await inference().complete(order, requestId);
  setCost(cost);
  return answer;
};

export const handler = pricedEndpoint(routes.createCompletion, orderCompletion, createCompletion);
