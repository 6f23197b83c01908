import type { GenericSchema, InferInput, InferOutput } from 'valibot';
import type { ResponseKind } from '#contract/http/media-kinds.ts';
import type { Route } from '#contract/http/route.ts';
import type { TextBody } from '#contract/http/text-body.ts';
import type { IssuedDevice } from '#domain/accounts/sign-in/devices.ts';
import type { SessionOrigin } from '#domain/accounts/sign-in/session-store.ts';
import type { Order } from '#domain/inference/order.ts';
import type { StreamedResponse } from '#domain/inference/streams/streamed-response.ts';
import type { Proof } from '#domain/inference/tokens.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import type { Claim } from '#domain/shared/idempotency.ts';
import type { Caller, KeyCaller, OpenedSession, SessionCaller } from '#middleware/call.ts';
import type { CallServices } from '../calls/call-services.ts';
import type { Services } from '../services/container.ts';

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

/** What an operation is given: its input as the route's schemas made it, and who calls. */
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
  /** What it holds with its Idempotency-Key, on routes that take one. */
  readonly claim: Claim | undefined;
  /** Where the request came from, for limits by network; undefined where the stage has none. */
  readonly network: string | undefined;
  /** What the browser holds as a known device. */
  readonly device: string | undefined;
  /** What is known of the browser, for the list of the account's sessions. */
  readonly origin: SessionOrigin;
  /** Opens or ends the browser's session with this response. */
  readonly setSession: (session: OpenedSession | 'ended') => void;
  /** Makes the browser a known device with this response; undefined leaves it as it is. */
  readonly setDevice: (device: IssuedDevice | undefined) => void;
}

/** A priced operation is also given the order it was admitted with. */
export type PricedOperation<R extends Route, O extends Order> = (
  services: CallServices,
  call: Omit<OperationCall<R>, 'network' | 'device' | 'origin'> & {
    readonly order: O;
    /** Sets what the call came to, in microcredits, where that is not what was held. */
    readonly setCost: (cost: number) => void;
    /** Its hold, for what must be settled with another write. */
    readonly openHold: OpenHold;
  },
) => Promise<ResponseData<R> | TextBody | StreamedResponse> | StreamedResponse;

/** Turns a priced route's body into its order, or refuses it (400). Awaits `prove` before anything that costs more than parsing. */
export type OrderOf<R extends Route, O extends Order> = (
  services: CallServices,
  body: OperationCall<R>['input']['body'],
  prove: Proof,
  kind: ResponseKind,
) => Promise<O>;

/**
 * Makes the order of a call by what its path names, of that of its body where there is one; or refuses it (404, 409, 400). Takes nothing of the account, and awaits
 * `prove` before it does more than read.
 */
export type OpenOrderOf<R extends Route, O extends Order> = (
  services: CallServices,
  call: Pick<OperationCall<R>, 'input' | 'caller'> & {
    readonly order: O;
    readonly prove: Proof;
    /** Sets the model that was read on the way, for a refusal (403) before that by the state of anything (404, 409). */
    readonly namesModel: (model: string | undefined) => void;
  },
) => Promise<O>;

/** The model of a call whose body does not name it, undefined where what names it is not there. Who may not use it is refused (403) before by the state of anything (404, 409). */
export type ModelOf<R extends Route> = (
  services: CallServices,
  call: Pick<OperationCall<R>, 'input' | 'caller'>,
) => Promise<string | undefined> | string;

/** One operation of the API: turns its input into the envelope's `data`, or throws a ServiceError. */
export type Operation<R extends Route> = (
  services: Services,
  call: OperationCall<R>,
) => Promise<ResponseData<R>> | ResponseData<R>;

/**
 * Refuses (400) input that its schema cannot: for what it needs to know beside it, as the time or who calls. It comes
 * before the 403, so the caller may be one of whom the operation will not hear.
 */
export type InputCheck<R extends Route> = (
  services: Services,
  call: Pick<OperationCall<R>, 'input'> & { readonly caller: Caller | undefined },
) => void | Promise<void>;
