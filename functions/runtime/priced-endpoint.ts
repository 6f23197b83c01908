import type { Route } from '#contract/http/route.ts';
import type { Order } from '#domain/inference/order.ts';
import type { Call } from '#middleware/call.ts';
import type { PricedOperation } from './operation.ts';
import { perEnvironment, typed } from './process.ts';
import { createCallServices } from './services/call-services.ts';
import { operationInput, stack } from './stack.ts';

export function pricedEndpoint<R extends Route, O extends Order>(
  route: R,
  { order, open, modelOf, run }: PricedOperation<R, O>,
) {
  const services = perEnvironment(() => createCallServices(route));
  return stack(route, services, (call) => run(services(), typed(operationInput(call))), {
    orderOf: order && ((body, prove, kind) => order(services(), typed(body), prove, kind)),
    open: open && ((call) => open(services(), typed({ ...operationInput(call), ...opening(call) }))),
    modelOf: modelOf && (async (call) => modelOf(services(), typed(operationInput(call)))),
  });
}

function opening(call: Call) {
  const namesModel = (model: string | undefined): void => {
    call.namedModel = model;
  };
  return { prove: async () => call.identity?.prove?.(), namesModel };
}
