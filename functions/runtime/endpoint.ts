import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { answerFormats } from '#contract/answer-formats.ts';
import type { Route } from '#contract/route.ts';
import type { IssuedDevice } from '#domain/accounts/devices.ts';
import { StreamedAnswer } from '#domain/model-stream.ts';
import { accept } from '#middleware/accept.ts';
import { authenticate } from '#middleware/authenticate.ts';
import { authorize } from '#middleware/authorize.ts';
import type { Call, CallContext, OpenedSession, Order } from '#middleware/call.ts';
import { deviceOf } from '#middleware/cookies.ts';
import { envelope } from '#middleware/envelope.ts';
import { idempotency } from '#middleware/idempotency.ts';
import { meter } from '#middleware/meter.ts';
import { requestLog } from '#middleware/request-log.ts';
import { type MakeOrder, validate } from '#middleware/validate.ts';
import { services } from './container.ts';
import { networkOf } from './network.ts';
import type { InputCheck, Operation, OrderOf, PricedOperation } from './operation.ts';
import { canStream } from './response-streaming.ts';
import { type Reply, streamedHandler } from './streamed-handler.ts';
import { authentication, idempotent, log, meters, outcome, publicOrigin } from './wiring.ts';

/** Builds a route's Lambda handler; `check` refuses (400) input that no schema can, before anyone asks who may (403). */
export function endpoint<R extends Route>(route: R, operation: Operation<R>, check?: InputCheck<R>) {
  return stack(
    route,
    (call, event) => {
      const { environment } = services();
      const network = networkOf(event, environment);
      const device = deviceOf(event, environment.SESSION_COOKIE);
      return operation(services(), typed({ ...given(call), network, device }));
    },
    undefined,
    check && ((call) => check(services(), typed(given(call)))),
  );
}

/** Builds a priced route's Lambda handler: its order is made and admitted before the operation runs. */
export function pricedEndpoint<R extends Route, O extends Order>(
  route: R,
  orderOf: OrderOf<R, O>,
  operation: PricedOperation<R, O>,
) {
  return stack(
    route,
    (call) => operation(services(), typed(given(call))),
    (body, prove) => orderOf(services(), typed(body), prove),
  );
}

/** The only place that orders middleware. */
function stack(
  route: Route,
  run: (call: Call, event: APIGatewayProxyEvent) => unknown,
  orderOf?: MakeOrder,
  check?: (call: Call) => void | Promise<void>,
) {
  const streams = route.streaming === true && canStream();
  const once = idempotency(route, idempotent);
  const handle = middy<APIGatewayProxyEvent, unknown, Error, CallContext>()
    .use(requestLog(route, () => log))
    .use(
      envelope(
        () => outcome,
        route.success,
        () => answerFormats[route.format],
      ),
    )
    .use(accept(route))
    .use(authenticate(route, authentication))
    .use(validate(route, orderOf, check))
    .use(authorize(route, publicOrigin))
    .use(once.claim)
    .use(meter(route, meters, streams))
    .use(once.keep)
    .handler(async (event, { call }) => {
      if (call.replay) return call.replay.data;
      const data = await run(call, event);
      if (data instanceof StreamedAnswer) return data;
      return route.output ? v.parse(route.output, data) : null;
    });
  if (!streams) return handle;
  return streamedHandler(async (event, context) => typed<Reply>(await handle(event, typed<CallContext>(context))));
}

/** The part of a call that its operation is given. */
function given(call: Call) {
  const { requestId, input, caller, order } = call;
  const setSession = (session: OpenedSession | 'ended'): void => {
    call.session = session;
  };
  const setDevice = (device: IssuedDevice | undefined): void => {
    if (device) call.device = device;
  };
  const setCost = (cost: number): void => {
    call.cost = cost;
  };
  return { requestId, input, caller, order, setSession, setDevice, setCost };
}

/** The middlewares made these values by the route's own schemas and credential, which the operation's types come from. */
function typed<T>(value: unknown): T {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the compiler cannot follow a value through Middy
  return value as T;
}
