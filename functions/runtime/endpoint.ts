import type { Route } from '#contract/http/route.ts';
import { cookieOf } from '#middleware/headers.ts';
import { sessionOriginOf } from '#middleware/session-origin.ts';
import { networkOf } from './network.ts';
import type { CheckedOperation, Operation } from './operation.ts';
import { typed } from './process.ts';
import { services } from './services/container.ts';
import { operationInput, stack } from './stack.ts';

export function endpoint<R extends Route>(route: R, operation: Operation<R> | CheckedOperation<R>) {
  const { run, check } = typeof operation === 'function' ? { run: operation } : operation;
  return stack(
    route,
    services,
    (call, event) => {
      const { environment } = services();
      const network = networkOf(event, environment);
      const device = cookieOf(event, 'device', environment.SESSION_COOKIE);
      const pendingSignIn = cookieOf(event, 'secondFactor', environment.SESSION_COOKIE);
      const origin = sessionOriginOf(event, environment.COUNTRY_HEADER);
      return run(services(), typed({ ...operationInput(call), network, device, pendingSignIn, origin }));
    },
    { check: check && ((call) => check(services(), typed(operationInput(call)))) },
  );
}
