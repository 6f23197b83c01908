import { inferenceRoutes } from '#contract/routes/inference/inference.ts';
import type { TranslationOrder } from '#domain/inference/translation/translation.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof inferenceRoutes.translate;

const orderTranslation: OrderOf<Route, TranslationOrder> = ({ translation }, body, prove) =>
  translation().order(body, prove);

const translate: PricedOperation<Route, TranslationOrder> = ({ translation }, { order }) =>
  translation().translate(order);

export const handler = pricedEndpoint(inferenceRoutes.translate, orderTranslation, translate);
