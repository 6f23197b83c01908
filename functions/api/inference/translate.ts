import { inferenceRoutes } from '#contract/routes/inference.ts';
import type { TranslationOrder } from '#domain/inference/translation.ts';
import type { OrderOf, PricedOperation } from '#runtime/operation.ts';
import { pricedEndpoint } from '#runtime/priced-endpoint.ts';

type Route = typeof inferenceRoutes.translate;

const orderTranslation: OrderOf<Route, TranslationOrder> = ({ translation }, body, prove) =>
  translation().order(body, prove);

const translate: PricedOperation<Route, TranslationOrder> = ({ translation }, { order }) =>
  translation().translate(order);

export const handler = pricedEndpoint(inferenceRoutes.translate, orderTranslation, translate);
