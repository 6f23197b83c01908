import type { Route } from '#contract/http/route.ts';
import type { OutgoingMail, StoredToken } from '../accounts/account.ts';
import type { MailOutcome } from '../mail/outbox.ts';
import type { Clock, Random } from '../shared/ports.ts';

/** A request as anybody sends it; `path` is below the origin, with its query. */
export interface CallerRequest {
  readonly method: Route['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: RequestHeaders;
}

export type RequestHeaders = Readonly<Record<string, string>>;

export interface CallerResponse {
  readonly status: number;
  /** The value of a header, by its name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** `name=value` of each cookie that it sets. */
  readonly cookies: readonly string[];
  readonly text: string;
}

/** Sends a request to the service by its public address; rejects without a whole response. */
export type SendRequest = (request: CallerRequest) => Promise<CallerResponse>;

/** What takes the place of a mailbox, which the canary has none of. */
export interface CanaryPreparation {
  readonly token: StoredToken;
  readonly mail: OutgoingMail;
  /** When all of the account is purged, whatever has become of it, epoch ms. */
  readonly purgeAt: number;
}

export interface CanaryStore {
  /**
   * Replaces the confirmation of an account, mails it, and notes when the account is purged, all or nothing. False, and
   * nothing is changed, unless the account has this address and is not confirmed. `now` in epoch ms.
   */
  prepare(accountId: number, email: string, preparation: CanaryPreparation, now: number): Promise<boolean>;
  /** What became of a mail; undefined while it waits. */
  mailOutcome(id: string): Promise<MailOutcome | undefined>;
}

export interface CanaryParts {
  /** A sender whose requests all end within so many ms. */
  readonly senderFor: (withinMs: number) => SendRequest;
  readonly store: CanaryStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly pause: (ms: number) => Promise<void>;
  /** The chat model that it calls. */
  readonly model: string;
  /** Origin of the link in its mail. */
  readonly publicOrigin: string;
}
