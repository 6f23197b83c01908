import type { Route } from '#contract/http/route.ts';
import type { Order } from '#domain/inference/order.ts';
import { createCallServices } from './call-services.ts';
import type { OrderOf, PricedOperation } from './operation.ts';
import { perEnvironment } from './shared/per-environment.ts';
import { typed } from './shared/typed.ts';
import { given, stack } from './stack.ts';

/** Builds a priced route's Lambda handler: its order is made and admitted before the operation runs. */
export function pricedEndpoint<R extends Route, O extends Order>(
  route: R,
  orderOf: OrderOf<R, O>,
  operation: PricedOperation<R, O>,
) {
  const services = perEnvironment(() => createCallServices(route));
  return stack(
    route,
    services,
    (call) => operation(services(), typed(given(call))),
    (body, prove) => orderOf(services(), typed(body), prove),
  );
}
