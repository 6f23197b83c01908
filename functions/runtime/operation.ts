import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { TextBody } from '#contract/http/format.ts';
import type { ResponseKind } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import type { IssuedDevice, SessionOrigin } from '#domain/accounts/sessions.ts';
import type { ModelUsage } from '#domain/inference/model-stream.ts';
import type { Order, Proof } from '#domain/inference/order.ts';
import type { StreamedResponse } from '#domain/inference/streamed-response.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import type { Claim } from '#domain/shared/idempotency.ts';
import type { Caller, KeyCaller, OpenedSession, SessionCaller } from '#middleware/call.ts';
import type { CallServices } from './services/call-services.ts';
import type { Services } from './services/container.ts';

type Parsed<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined;
type ResponseData<R> = R extends { output: infer Schema extends GenericSchema } ? InferInput<Schema> : void;
type CallerOf<R extends Route> = R['credential'] extends 'session'
  ? SessionCaller
  : R['credential'] extends 'key'
    ? KeyCaller
    : R['credential'] extends 'none'
      ? undefined
      : R['credential'] extends 'session if any'
        ? SessionCaller | undefined
        : Caller;

export interface OperationCall<R extends Route> {
  readonly requestId: string;
  readonly input: {
    readonly path: Parsed<R extends { pathInput: infer S } ? S : undefined>;
    readonly query: Parsed<R extends { queryInput: infer S } ? S : undefined>;
    readonly body:
      | Parsed<R extends { bodyInput: infer S } ? S : undefined>
      | (R extends { formInput: infer S } ? Parsed<S> : never)
      | (R extends { rawBody: object } ? { readonly bytes: Uint8Array; readonly header: string } : never);
  };
  readonly caller: CallerOf<R>;
  readonly claim: Claim | undefined;
  readonly network: string | undefined;
  readonly device: string | undefined;
  /** The cookie of a sign-in that waits for its second factor. */
  readonly pendingSignIn: string | undefined;
  /** Listed with the account's sessions. */
  readonly origin: SessionOrigin;
  readonly setSession: (session: OpenedSession | 'ended') => void;
  readonly setDevice: (device: IssuedDevice | undefined) => void;
  readonly setPendingSignIn: (pending: OpenedSession | 'ended') => void;
}

export type SessionCall = Pick<
  OperationCall<Route>,
  'device' | 'origin' | 'setSession' | 'setDevice' | 'setPendingSignIn'
>;

/** Turns the input of a route into the envelope's `data`, or throws a ServiceError. */
export type Operation<R extends Route> = (
  services: Services,
  call: OperationCall<R>,
) => Promise<ResponseData<R>> | ResponseData<R>;

/** A check that no schema can express, such as one that depends on the time or the caller. */
export interface CheckedOperation<R extends Route> {
  /** Refuses (400) input before authorization (403), so the caller may lack the permission for `run`. */
  readonly check: (
    services: Services,
    call: Pick<OperationCall<R>, 'input'> & { readonly caller: Caller | undefined },
  ) => void | Promise<void>;
  readonly run: Operation<R>;
}

/** Lets an operation settle the hold in its own write. */
type SettledItself<R extends Route> = R extends { readonly priced: { readonly settlesItself: true } }
  ? { readonly openHold: OpenHold }
  : unknown;

export interface PricedOperation<R extends Route, O extends Order> {
  /** Creates the order, or throws 400. Awaits `prove` before work that costs more than parsing. */
  readonly order?: (
    services: CallServices,
    body: OperationCall<R>['input']['body'],
    prove: Proof,
    kind: ResponseKind,
  ) => Promise<O>;
  /**
   * Completes or creates the order from stored objects, or throws (404, 409, 400). Has no side effects. Awaits
   * `prove` before work that costs more than reading.
   */
  readonly open?: (
    services: CallServices,
    call: Pick<OperationCall<R>, 'input' | 'caller' | 'requestId'> & {
      readonly order: O;
      readonly prove: Proof;
      /** Reports the model as soon as it is known, so that 403 for the model precedes 404 and 409. */
      readonly namesModel: (model: string | undefined) => void;
    },
  ) => Promise<O>;
  /** Returns the model if the body does not name it. The 403 for a forbidden model precedes 404 and 409. */
  readonly modelOf?: (
    services: CallServices,
    call: Pick<OperationCall<R>, 'input' | 'caller'>,
  ) => Promise<string | undefined> | string;
  readonly run: (
    services: CallServices,
    call: Omit<OperationCall<R>, 'network' | 'device' | 'pendingSignIn' | 'origin'> & {
      readonly order: O;
      readonly setCost: (cost: number, usage?: ModelUsage) => void;
    } & SettledItself<R>,
  ) => Promise<ResponseData<R> | TextBody | StreamedResponse> | StreamedResponse;
}
