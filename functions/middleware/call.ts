import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { ResponseKind } from '#contract/http/request.ts';
import type { OrganizationRole } from '#contract/organizations/roles.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { IssuedDevice } from '#domain/accounts/sessions.ts';
import type { ModelUsage } from '#domain/inference/model-stream.ts';
import type { Order, Proof } from '#domain/inference/order.ts';
import type { Meter } from '#domain/meter/meter.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import type { Receipt } from '#domain/meter/pricing.ts';
import type { Credential } from '#domain/shared/credential.ts';
import type { Claim, RecordedSuccess } from '#domain/shared/idempotency.ts';
import type { ServiceError } from '#domain/shared/service-error.ts';
import type { JsonLiterals } from '#domain/shared/text.ts';

export type Caller = SessionCaller | KeyCaller;

export interface SessionCaller {
  readonly kind: 'session';
  /** Id of the organization for which the person acts. A personal organization has the id of the account. */
  readonly accountId: number;
  /** Account of the person. */
  readonly account: Account;
  /** Role in the organization. */
  readonly role: OrganizationRole;
  readonly session: Credential;
  /** The account has an authenticator app, or the session began with a passkey. */
  readonly hasSecondFactor: boolean;
}

export interface KeyCaller {
  readonly kind: 'key';
  readonly accountId: number;
  readonly keyId: string;
}

export interface OpenedSession {
  readonly text: string;
  readonly lifetimeMs: number;
}

/** A request on its way through the middlewares (`runtime/stack.ts`). Each adds its part, which is absent before. */
export interface Call {
  readonly requestId: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly response: ResponseLifecycle;
  /** Negotiated with the Accept header. */
  responseKind: ResponseKind;
  identity?: Identity;
  input: { path: unknown; query: unknown; body: unknown };
  /** Literals of long strings in the body. */
  literals?: JsonLiterals | undefined;
  idempotency?: Repeatable;
  order?: Order;
  /** Absent until the lookup; undefined if the object in the path does not exist. */
  namedModel?: string | undefined;
  admission?: Admission;
  receipt?: Receipt;
  readonly cookies: {
    session?: OpenedSession | 'ended';
    device?: IssuedDevice;
    secondFactor?: OpenedSession | 'ended';
  };
}

/** Set by `authenticate`. */
export interface Identity {
  readonly caller: Caller;
  /** Thrown by `validate` if the header that names the organization is malformed. */
  malformed?: ServiceError | undefined;
  /** Thrown by `authorize` if the caller may not use the named organization. */
  refusal?: ServiceError | undefined;
  /** Verifies a key before admission, with one read. */
  readonly prove?: Proof;
  /**
   * The same before work that costs more than the read. Trusts a recent proof, because the admission verifies the key.
   */
  readonly proveForWork?: Proof;
  /** The meter, if the proof has read it. */
  meter?: Meter;
}

/** Set by `validate` for a request with an Idempotency-Key. */
export interface Repeatable {
  readonly key: string;
  /** Held by the first request with the key until its response is stored. */
  claim?: Claim;
  /** Set for a repeated request: the first request, whose response is returned instead of running the operation. */
  replay?: { readonly of: string; readonly response?: RecordedSuccess };
}

/** Set by `meter`. */
export interface Admission {
  readonly openHold: OpenHold;
  result?: unknown;
  isCancelled?: true;
}

export type CallContext = Context & { call: Call };
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, unknown, Error, CallContext>;

/** Settles and closes one response, each at most once. The sender settles before the end and closes after it. */
export class ResponseLifecycle {
  status: number | undefined;
  /** Set for failed and refused calls, including streams that fail after status 200. */
  refusal: Pick<Refusal, 'code' | 'detail'> | undefined;
  headers: Readonly<Record<string, string>> = {};
  /** Microcredits. */
  cost = 0;
  /** Tokens of a whole response; a stream reports its own. */
  usage: ModelUsage | undefined;
  /** The body of a response that is sent as a whole. */
  body: string | undefined;
  /** Days for which prompt and response are stored. */
  contentDays: number | undefined;
  /** Epoch ms. */
  firstByteAt: number | undefined;
  readonly #now: () => number;
  readonly #onClose: () => void;
  #onLeave: (() => void) | undefined;
  #hasLeft = false;
  #settlement: (() => Promise<void>) | undefined;
  #settled: Promise<void> | undefined;
  #followUp: (() => Promise<void>) | undefined;
  #isClosed = false;

  constructor(now: () => number, onClose: () => void) {
    this.#now = now;
    this.#onClose = onClose;
  }

  markFirstByte(): void {
    this.firstByteAt ??= this.#now();
  }

  /** Replaces the settlement. Has no effect once the settlement has started. */
  settleBy(settlement: () => Promise<void>): void {
    this.#settlement = settlement;
  }

  async settle(): Promise<void> {
    await (this.#settled ??= this.#settlement?.());
  }

  /** Sets what ends the work of a stream whose client leaves before its first piece. */
  leaveBy(onLeave: () => void): void {
    this.#onLeave = onLeave;
    if (this.#hasLeft) onLeave();
  }

  leave(): void {
    this.#hasLeft = true;
    this.#onLeave?.();
  }

  /** Sets the work that follows the closed response, which it does not delay. It must not reject. */
  followBy(work: () => Promise<void>): void {
    this.#followUp = work;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
    await this.#followUp?.();
  }
}
