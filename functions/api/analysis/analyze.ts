import { analysisRoutes } from '#contract/routes/analysis.ts';
import type { AnalysisOrder } from '#domain/analysis/analysis.ts';
import { analysisOf } from '#runtime/calls/analysis.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof analysisRoutes.analyze;

const orderAnalysis: OrderOf<Route, AnalysisOrder> = (services, body, prove) => analysisOf(services).order(body, prove);

const analyze: PricedOperation<Route, AnalysisOrder> = (services, { order }) => analysisOf(services).analyze(order);

export const handler = pricedEndpoint(analysisRoutes.analyze, orderAnalysis, analyze);
