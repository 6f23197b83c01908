import type { Route } from '#contract/http/route.ts';
import type { Order } from '#domain/inference/order.ts';
import type { Call } from '#middleware/call.ts';
import { createCallServices } from '../calls/call-services.ts';
import { perEnvironment } from '../shared/per-environment.ts';
import { typed } from '../shared/typed.ts';
import type { ModelOf, OpenOrderOf, OrderOf, PricedOperation } from './operation.ts';
import { given, stack } from './stack.ts';

interface Opening<R extends Route, O extends Order> {
  readonly open?: OpenOrderOf<R, O>;
  readonly modelOf?: ModelOf<R>;
}

/**
 * Builds a priced route's Lambda handler: its order is made and admitted before the operation runs. `open` completes it by what the path names,
 * or makes it where there is no `orderOf`.
 */
export function pricedEndpoint<R extends Route, O extends Order>(
  route: R,
  orderOf: OrderOf<R, O> | undefined,
  operation: PricedOperation<R, O>,
  { open, modelOf }: Opening<R, O> = {},
) {
  const services = perEnvironment(() => createCallServices(route));
  return stack(route, services, (call) => operation(services(), typed(given(call))), {
    orderOf: orderOf && ((body, prove, kind) => orderOf(services(), typed(body), prove, kind)),
    open: open && ((call) => open(services(), typed({ ...given(call), ...opening(call) }))),
    modelOf: modelOf && (async (call) => modelOf(services(), typed(given(call)))),
  });
}

/** What the opening of an order is given beside. */
function opening(call: Call) {
  const namesModel = (model: string | undefined): void => {
    call.namedModel = model;
  };
  return { prove: async () => call.prove?.(), namesModel };
}
