import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { TextBody } from '#contract/http/format.ts';
import type { ResponseKind } from '#contract/http/request.ts';
import type { Route } from '#contract/http/route.ts';
import type { IssuedDevice } from '#domain/accounts/devices.ts';
import type { SessionOrigin } from '#domain/accounts/sessions.ts';
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

/** A validated call: the input as the route's schemas parsed it, and the caller. */
export interface OperationCall<R extends Route> {
  readonly requestId: string;
  readonly input: {
    readonly path: Parsed<R extends { pathInput: infer S } ? S : undefined>;
    readonly query: Parsed<R extends { queryInput: infer S } ? S : undefined>;
    readonly body:
      | Parsed<R extends { bodyInput: infer S } ? S : undefined>
      | (R extends { formInput: infer S } ? Parsed<S> : never);
  };
  readonly caller: CallerOf<R>;
  /** Claim of the Idempotency-Key, on routes that accept one. */
  readonly claim: Claim | undefined;
  /** Client network, for limits by network; undefined if the stage has no such limits. */
  readonly network: string | undefined;
  /** Value of the cookie of known devices. */
  readonly device: string | undefined;
  /** Browser and country, for the list of the account's sessions. */
  readonly origin: SessionOrigin;
  /** Opens or ends the browser's session with this response. */
  readonly setSession: (session: OpenedSession | 'ended') => void;
  /** Makes the browser a known device with this response; undefined changes nothing. */
  readonly setDevice: (device: IssuedDevice | undefined) => void;
}

/** The part of a call that opens a session and remembers the browser. */
export type SessionCall = Pick<OperationCall<Route>, 'device' | 'origin' | 'setSession' | 'setDevice'>;

/** Turns the input of a route into the envelope's `data`, or throws a ServiceError. */
export type Operation<R extends Route> = (
  services: Services,
  call: OperationCall<R>,
) => Promise<ResponseData<R>> | ResponseData<R>;

/** An operation with a check that no schema can make, such as one that depends on the time or the caller. */
export interface CheckedOperation<R extends Route> {
  /** Refuses (400) input before authorization (403), so that the caller may lack the right to call `run`. */
  readonly check: (
    services: Services,
    call: Pick<OperationCall<R>, 'input'> & { readonly caller: Caller | undefined },
  ) => void | Promise<void>;
  readonly run: Operation<R>;
}

/** An operation whose calls are metered. Its order states what the call holds and which model it needs. */
export interface PricedOperation<R extends Route, O extends Order> {
  /**
   * Creates the order from the body, or refuses it (400). Awaits `prove` before work that costs more than parsing. Absent:
   * `open` creates the order.
   */
  readonly order?: (
    services: CallServices,
    body: OperationCall<R>['input']['body'],
    prove: Proof,
    kind: ResponseKind,
  ) => Promise<O>;
  /**
   * Completes or creates the order with the stored object that the path or the body names, or refuses it (404, 409, 400).
   * Changes nothing, and awaits `prove` before work that costs more than reading.
   */
  readonly open?: (
    services: CallServices,
    call: Pick<OperationCall<R>, 'input' | 'caller'> & {
      readonly order: O;
      readonly prove: Proof;
      /** Reports the model as soon as it is known, so that 403 for the model precedes 404 and 409. */
      readonly namesModel: (model: string | undefined) => void;
    },
  ) => Promise<O>;
  /**
   * Returns the model of a call whose body does not name it; undefined if the object that names it does not exist. A model
   * outside the plan is refused (403) before the state of any object (404, 409).
   */
  readonly modelOf?: (
    services: CallServices,
    call: Pick<OperationCall<R>, 'input' | 'caller'>,
  ) => Promise<string | undefined> | string;
  readonly run: (
    services: CallServices,
    call: Omit<OperationCall<R>, 'network' | 'device' | 'origin'> & {
      readonly order: O;
      /** Sets the cost in microcredits if it differs from the hold. */
      readonly setCost: (cost: number) => void;
      /** The call's hold, for operations that settle it in a write of their own. */
      readonly openHold: OpenHold;
    },
  ) => Promise<ResponseData<R> | TextBody | StreamedResponse> | StreamedResponse;
}
