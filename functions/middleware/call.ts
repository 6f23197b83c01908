import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { ResponseKind } from '#contract/http/request.ts';
import type { Refusal } from '#contract/shared/errors.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { IssuedDevice } from '#domain/accounts/devices.ts';
import type { Order, Proof } from '#domain/inference/order.ts';
import type { Meter } from '#domain/meter/meter.ts';
import type { OpenHold } from '#domain/meter/metering.ts';
import type { Receipt } from '#domain/meter/pricing.ts';
import type { Credential } from '#domain/shared/credential.ts';
import type { Claim, KeptSuccess } from '#domain/shared/idempotency.ts';

/** Who calls: a person in a session, with the account as it is now, or a key. */
export type Caller = SessionCaller | KeyCaller;

export interface SessionCaller {
  readonly kind: 'session';
  readonly accountId: number;
  readonly account: Account;
  readonly session: Credential;
}

export interface KeyCaller {
  readonly kind: 'key';
  readonly accountId: number;
  readonly keyId: string;
}

/** A session that was opened, for the browser's cookie. */
export interface OpenedSession {
  readonly text: string;
  readonly lifetimeMs: number;
}

/** What the middlewares find out about one request, in this order, and what goes out with the response. */
export interface Call {
  readonly requestId: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly response: ResponseLifecycle;
  caller?: Caller;
  /** Proves a key that the admission has not yet looked at, by one read. */
  prove?: Proof;
  /** The proof has succeeded. */
  isProved?: true;
  /** The account's meter, where the proof has read it. */
  provenMeter?: Meter;
  /** The model of what the path names, once that was looked for; undefined where it is not there. */
  namedModel?: string | undefined;
  /** Kind of response that the caller requests, of those that the route has. */
  responseKind?: ResponseKind;
  input: { path: unknown; query: unknown; body: unknown };
  order?: Order;
  /** The value of the Idempotency-Key header, on routes that take it. */
  idempotencyKey?: string;
  /** This request is the one that runs with its key. */
  claim?: Claim;
  /** The response to the request that came first with the key, sent again in place of running the operation. */
  replay?: KeptSuccess;
  /** Request id of the one that came first with the key, whose response is sent again. */
  replayOf?: string;
  openHold?: OpenHold;
  /** What the operation of an admitted call came back with, where it did. */
  result?: unknown;
  /** A stream that its account has cancelled. */
  isCancelled?: boolean;
  /** What the response reports of the charge. */
  receipt?: Receipt;
  /** Opens or ends the browser's session with this response. */
  session?: OpenedSession | 'ended';
  /** Makes the browser a known device with this response. */
  device?: IssuedDevice;
}

export type CallContext = Context & { call: Call };
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, unknown, Error, CallContext>;

/**
 * How the response of one call comes to its end. The middlewares set what it is and what settles the call; whoever sends it settles
 * the call before the response ends, and closes it after. Settling and closing happen once, however often they are called.
 */
export class ResponseLifecycle {
  /** HTTP status, once it is known. */
  status: number | undefined;
  /** Why the call failed or was refused: of a stream, also after its status. */
  refusal: Pick<Refusal, 'code' | 'detail'> | undefined;
  /** As they are sent. */
  headers: Readonly<Record<string, string>> = {};
  /** Microcredits that the call comes to. */
  cost = 0;
  /** Epoch ms at which the first piece of a stream left. */
  firstByteAt: number | undefined;
  readonly #now: () => number;
  readonly #onClose: () => void;
  #settlement: (() => Promise<void>) | undefined;
  #settled: Promise<void> | undefined;
  #isClosed = false;

  constructor(now: () => number, onClose: () => void) {
    this.#now = now;
    this.#onClose = onClose;
  }

  /** To be called before a piece of a stream leaves; only the first counts. */
  markFirstByte(): void {
    this.firstByteAt ??= this.#now();
  }

  /** How the call will be settled, in place of what was set before. Changes nothing once that has begun. */
  settleBy(settlement: () => Promise<void>): void {
    this.#settlement = settlement;
  }

  /** Settles the call, if anything is to be settled; resolves when that is done. */
  async settle(): Promise<void> {
    await (this.#settled ??= this.#settlement?.());
  }

  /** The response has ended, or could not be sent to its end. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClose();
  }
}
