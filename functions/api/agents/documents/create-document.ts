import { documentRoutes } from '#contract/routes/agents/documents.ts';
import type { DocumentOrder } from '#domain/agents/documents/document-service.ts';
import type { OpenOrderOf, OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof documentRoutes.createDocument;

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

export const handler = pricedEndpoint(documentRoutes.createDocument, orderDocument, createDocument, {
  open: openDocument,
});
