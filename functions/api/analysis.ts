import type { analysisRoutes } from '#contract/routes/analysis.ts';
import type { AnalysisOrder } from '#domain/analysis/analysis.ts';
import type { PricedOperation } from '#runtime/operation.ts';

export const analyze: PricedOperation<typeof analysisRoutes.analyze, AnalysisOrder> = {
  order: async ({ analysis }, body, prove) => (await analysis()).order(body, prove),
  run: async ({ analysis }, { order }) => (await analysis()).analyze(order),
};
