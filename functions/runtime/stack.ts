import { setImmediate as nextTurn } from 'node:timers/promises';
import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { responseFormats, TextBody } from '#contract/http/format.ts';
import { canStoreContent, type Route } from '#contract/http/route.ts';
import type { IssuedDevice } from '#domain/accounts/sessions.ts';
import type { ModelUsage } from '#domain/inference/model-stream.ts';
import { StreamedResponse } from '#domain/inference/streamed-response.ts';
import { newRequestId } from '#domain/shared/credential.ts';
import { accept } from '#middleware/accept.ts';
import { authenticate, type Authentication } from '#middleware/authenticate.ts';
import { authorize } from '#middleware/authorize.ts';
import type { Call, CallContext, OpenedSession } from '#middleware/call.ts';
import { envelope, type EnvelopeOptions } from '#middleware/envelope.ts';
import { type FindMeter, forbiddenUses } from '#middleware/forbidden-uses.ts';
import { idempotencyMiddlewares, type Idempotent } from '#middleware/idempotency.ts';
import { meter, type Meters } from '#middleware/meter.ts';
import { limitMismatches, type MismatchLimit } from '#middleware/mismatches.ts';
import { refuseRetiredModel } from '#middleware/model-dates.ts';
import { type OpenOrder, openOrder } from '#middleware/open-order.ts';
import { createRefusalSampler, recordOf, requestLog, type RequestLog } from '#middleware/request-log.ts';
import { type ContentWriter, storeContent } from '#middleware/stored-content.ts';
import { type MakeOrder, validate } from '#middleware/validate.ts';
import { callerAddressOf } from './network.ts';
import { explainOutage } from './outage.ts';
import { ambient, environment } from './process.ts';
import { bufferedHandler, canStream, streamedHandler } from './send-response.ts';
import type { CoreServices } from './services/core-services.ts';
import { logger, recordLostContent, recordLostSettlement, recordRequest } from './telemetry.ts';

export interface InputSteps {
  readonly orderOf?: MakeOrder | undefined;
  readonly check?: ((call: Call) => void | Promise<void>) | undefined;
  readonly open?: OpenOrder | undefined;
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
  const idempotency = idempotencyMiddlewares(route, idempotent(services), forbidden);
  const handle = middy<APIGatewayProxyEvent, unknown, Error, CallContext>()
    .use(requestLog(route, () => log, priced && ((call) => recordOf(call, priced, sampleRefusal))))
    .use(canStoreContent(route) ? storeContent(route, contentWriter(services)) : [])
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
    .use(open ? [idempotency.claim, openOrder(open, forbidden)] : idempotency.claim)
    .use(
      priced
        ? [
            refuseRetiredModel(forbidden),
            limitMismatches(forbidden, mismatchLimit(services)),
            meter(route, meters(services)),
          ]
        : [],
    )
    .use(idempotency.store)
    .handler(async (event, { call }) => {
      const replayed = call.idempotency?.replay?.response;
      if (replayed) return replayed.data;
      const data = await run(call, event);
      if (data instanceof StreamedResponse) {
        call.response.leaveBy(() => {
          if (call.admission) call.admission.isCancelled = true;
          void data.disconnect();
        });
        // The request is sent within one turn of the event loop; the response head is built while the model works.
        await nextTurn();
        return data;
      }
      if (route.responseKinds.includes('text') && v.is(TextBody, data)) return data;
      return route.output ? v.parse(route.output, data) : null;
    });
  return route.streaming && canStream() ? streamedHandler(handle) : bufferedHandler(handle);
}

export function operationInput(call: Call) {
  const { requestId, input, order } = call;
  const setSession = (session: OpenedSession | 'ended'): void => {
    call.cookies.session = session;
  };
  const setDevice = (device: IssuedDevice | undefined): void => {
    if (device) call.cookies.device = device;
  };
  const setPendingSignIn = (pending: OpenedSession | 'ended'): void => {
    call.cookies.secondFactor = pending;
  };
  const setCost = (cost: number, usage?: ModelUsage): void => {
    call.response.cost = cost;
    call.response.usage = usage;
  };
  return {
    requestId,
    input,
    order,
    caller: call.identity?.caller,
    claim: call.idempotency?.claim,
    openHold: call.admission?.openHold,
    setSession,
    setDevice,
    setPendingSignIn,
    setCost,
  };
}

const publicOrigin = (): string => environment().PUBLIC_ORIGIN;

const sampleRefusal = createRefusalSampler();

const authentication = (services: () => CoreServices) => (): Authentication => ({
  sessionCookie: environment().SESSION_COOKIE,
  now: () => ambient.clock.now(),
  findMeter: (accountId) => services().metering().find(accountId),
  findBySession: (session, organizationId) => services().sessions().holderOf(session, organizationId),
  isShared: (accountId) => services().sessions().isShared(accountId),
});

const meters = (services: () => CoreServices) => (): Meters => ({
  metering: services().metering(),
  now: () => ambient.clock.now(),
  onLostSettlement: (error, lost) => {
    logger().error('a settlement was lost; its hold will expire', { ...lost, error });
    recordLostSettlement();
  },
  onExcess: (excess) => logger().warn('a call cost more than its hold', { ...excess }),
});

const idempotent = (services: () => CoreServices) => (): Idempotent => ({
  records: services().idempotency(),
  onLostRecord: (error) =>
    logger().error('the claim of an Idempotency-Key could not be finished and will expire', { error }),
});

/** Milliseconds after which the storage of a prompt and response is abandoned. */
const contentMs = 5000;

const contentWriter = (services: () => CoreServices) => (): ContentWriter | undefined => {
  if (environment().CONTENT_BUCKET === undefined) return undefined;
  return {
    put: async (place, content, days) =>
      (await services().contents()).put(place, content, days, AbortSignal.timeout(contentMs)),
    onLost: (error) => {
      logger().warn('a prompt and response could not be stored', { error });
      recordLostContent();
    },
  };
};

const mismatchLimit = (services: () => CoreServices) => (): MismatchLimit => ({
  isOn: environment().NETWORK_LIMITS === 'on',
  now: () => ambient.clock.now(),
  records: () => services().idempotency(),
  onLost: (error) => logger().error('a reply that does not fit its format could not be counted', { error }),
});

/** Shared with the handler of unknown routes, so it must not load services. */
export const log: RequestLog = {
  now: () => ambient.clock.now(),
  newRequestId: () => newRequestId(ambient.random),
  addressOf: (event) => callerAddressOf(event, environment()),
  write: recordRequest,
};

export const outcome: EnvelopeOptions = {
  get sessionCookie() {
    return environment().SESSION_COOKIE;
  },
  get corsOrigins() {
    return environment().CORS_ORIGINS;
  },
  explain: explainOutage,
  onUnforeseen: (error, requestId) => logger().error('unforeseen error', { requestId, error }),
  onFailure: (error, failed) => logger().warn('a dependency failed', { ...failed, code: error.code, error }),
};
