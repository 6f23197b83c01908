import type { Route } from '#contract/http/route.ts';
import { sessionOriginOf } from '#middleware/request/session-origin.ts';
import { deviceOf } from '#middleware/response/cookies.ts';
import { networkOf } from '../http/network.ts';
import { services } from '../services/container.ts';
import { typed } from '../shared/typed.ts';
import type { InputCheck, Operation } from './operation.ts';
import { given, stack } from './stack.ts';

/** Builds a route's Lambda handler; `check` refuses (400) input that no schema can, before anyone checks who may (403). */
export function endpoint<R extends Route>(route: R, operation: Operation<R>, check?: InputCheck<R>) {
  return stack(
    route,
    services,
    (call, event) => {
      const { environment } = services();
      const network = networkOf(event, environment);
      const device = deviceOf(event, environment.SESSION_COOKIE);
      const origin = sessionOriginOf(event, environment.COUNTRY_HEADER);
      return operation(services(), typed({ ...given(call), network, device, origin }));
    },
    { check: check && ((call) => check(services(), typed(given(call)))) },
  );
}
