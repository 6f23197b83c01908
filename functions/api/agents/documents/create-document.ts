import { documentRoutes } from '#contract/routes/agents/documents.ts';
import type { DocumentOrder } from '#domain/agents/documents/indexing.ts';
import type { OpenOrderOf, OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof documentRoutes.createDocument;

const orderDocument: OrderOf<Route, DocumentOrder> = async ({ agents }, body) => (await agents()).adding().order(body);

const openDocument: OpenOrderOf<Route, DocumentOrder> = async ({ agents }, { input, caller, order }) => {
  await (await agents()).adding().check(caller.accountId, input.path.id, order);
  return order;
};

const createDocument: PricedOperation<Route, DocumentOrder> = async ({ agents }, { input, caller, order, openHold }) =>
  (await agents()).adding().add(caller.accountId, input.path.id, order, openHold);

export const handler = pricedEndpoint(documentRoutes.createDocument, orderDocument, createDocument, {
  open: openDocument,
});
