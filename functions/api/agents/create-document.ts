import { agentRoutes } from '#contract/routes/agents.ts';
import type { DocumentOrder } from '#domain/agents/documents/document-service.ts';
import type { OpenOrderOf, OrderOf, PricedOperation } from '#runtime/operation.ts';
import { pricedEndpoint } from '#runtime/priced-endpoint.ts';

type Route = typeof agentRoutes.createDocument;

const orderDocument: OrderOf<Route, DocumentOrder> = async ({ agents }, body, prove) =>
  (await agents()).indexing().order(body, prove);

const openDocument: OpenOrderOf<Route, DocumentOrder> = async ({ agents }, { input, caller, order }) => {
  await (await agents()).indexing().check(caller.accountId, input.path.id, order);
  return order;
};

const createDocument: PricedOperation<Route, DocumentOrder> = async ({ agents }, { input, caller, order, setCost }) => {
  const { body, cost } = await (await agents()).indexing().add(caller.accountId, input.path.id, order);
  setCost(cost);
  return body;
};

export const handler = pricedEndpoint(agentRoutes.createDocument, orderDocument, createDocument, openDocument);
