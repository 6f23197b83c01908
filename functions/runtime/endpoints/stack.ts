import { setImmediate as nextTurn } from 'node:timers/promises';
import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { responseFormats } from '#contract/http/response-formats.ts';
import type { Route } from '#contract/http/route.ts';
import { TextBody } from '#contract/http/text-body.ts';
import type { IssuedDevice } from '#domain/accounts/sign-in/devices.ts';
import { StreamedResponse } from '#domain/inference/streams/streamed-response.ts';
import { accept } from '#middleware/accept.ts';
import { authenticate } from '#middleware/authenticate.ts';
import { authorize } from '#middleware/authorize.ts';
import type { Call, CallContext, OpenedSession } from '#middleware/call.ts';
import { envelope } from '#middleware/envelope.ts';
import { idempotency } from '#middleware/idempotency.ts';
import { meter } from '#middleware/meter.ts';
import { type OpenOrder, openOrder } from '#middleware/open-order.ts';
import { requestLog } from '#middleware/request-log.ts';
import { recordOf } from '#middleware/request-record.ts';
import { type FindMeter, forbiddenUses } from '#middleware/request/forbidden-use.ts';
import { type MakeOrder, validate } from '#middleware/validate.ts';
import { canStream } from '../http/response-streaming.ts';
import { log, outcome } from '../http/response-wiring.ts';
import { bufferedHandler, streamedHandler } from '../http/send-response.ts';
import type { CoreServices } from '../services/core-services.ts';
import { authentication, idempotent, meters, publicOrigin, sampleRefusal } from './wiring.ts';

/** What a route does with input beside its schemas. */
export interface InputSteps {
  /** On a priced route, makes the order of the body. */
  readonly orderOf?: MakeOrder | undefined;
  readonly check?: ((call: Call) => void | Promise<void>) | undefined;
  /** On a priced route whose path names something, makes or completes the order by that. */
  readonly open?: OpenOrder | undefined;
  /** On a priced route whose body does not name the model. */
  readonly modelOf?: ((call: Call) => Promise<string | undefined>) | undefined;
}

/** The only place that orders middleware. */
export function stack(
  route: Route,
  services: () => CoreServices,
  run: (call: Call, event: APIGatewayProxyEvent) => unknown,
  { orderOf, check, open, modelOf }: InputSteps = {},
) {
  const { priced } = route;
  const findMeter: FindMeter = (accountId) => authentication(services)().findMeter(accountId);
  const forbidden = forbiddenUses(route, { findMeter, modelOf });
  const once = idempotency(route, idempotent(services), forbidden);
  const handle = middy<APIGatewayProxyEvent, unknown, Error, CallContext>()
    .use(requestLog(route, () => log, priced && ((call) => recordOf(call, priced, sampleRefusal))))
    .use(
      envelope(
        () => outcome,
        route,
        () => responseFormats[route.format],
      ),
    )
    .use(accept(route))
    .use(authenticate(route, authentication(services)))
    .use(validate(route, orderOf, check))
    .use(authorize(route, publicOrigin))
    .use(open ? [once.claim, openOrder(open, forbidden)] : once.claim)
    .use(meter(route, meters(services)))
    .use(once.keep)
    .handler(async (event, { call }) => {
      if (call.replay) return call.replay.data;
      const data = await run(call, event);
      if (data instanceof StreamedResponse) {
        // Its request leaves within a turn of the event loop; the response's head is made while the model works.
        await nextTurn();
        return data;
      }
      if (route.responseKinds.includes('text') && v.is(TextBody, data)) return data;
      return route.output ? v.parse(route.output, data) : null;
    });
  return route.streaming && canStream() ? streamedHandler(handle) : bufferedHandler(handle);
}

/** The part of a call that its operation is given. */
export function given(call: Call) {
  const { requestId, input, caller, order, claim, openHold } = call;
  const setSession = (session: OpenedSession | 'ended'): void => {
    call.session = session;
  };
  const setDevice = (device: IssuedDevice | undefined): void => {
    if (device) call.device = device;
  };
  const setCost = (cost: number): void => {
    call.response.cost = cost;
  };
  return { requestId, input, caller, order, claim, openHold, setSession, setDevice, setCost };
}
