import { analysisRoutes } from '#contract/routes/analysis.ts';
import type { AnalysisOrder } from '#domain/analysis/analysis.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof analysisRoutes.analyze;

const orderAnalysis: OrderOf<Route, AnalysisOrder> = async ({ analysis }, body, prove) =>
  (await analysis()).order(body, prove);

const analyze: PricedOperation<Route, AnalysisOrder> = async ({ analysis }, { order }) =>
  (await analysis()).analyze(order);

export const handler = pricedEndpoint(analysisRoutes.analyze, orderAnalysis, analyze);
