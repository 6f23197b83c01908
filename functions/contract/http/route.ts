import type { GenericSchema } from 'valibot';
import type { ServiceName } from '../billing/prices.ts';
import type { Capability } from '../inference/models.ts';
import type { QueueId, TableId } from '../platform/resources.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { limits } from '../shared/limits.ts';
import { type FormatName, formatNameOf } from './format.ts';
import type { BodyKind, ResponseKind } from './request.ts';

/**
 * Which credential a route takes: a dashboard session, an API key, either, none, or a session where there is one
 * (docs/security.md#sessions-and-cookies).
 */
export type Credential = 'none' | 'session' | 'key' | 'session or key' | 'session if any';

/**
 * How far a function reaches into a table: `read`; `write` also puts and updates items; `delete` also deletes them;
 * `append` puts items and counts in others, and neither reads nor deletes; `add` puts items only;
 * `move` also reads the table as a whole, and deletes.
 */
export type Access = 'read' | 'write' | 'delete' | 'append' | 'add' | 'move';

/**
 * Files of long audio: `upload` lets callers send one, `begin` hands it to the model, `end` keeps the text of the model's reply, `read` reads that, `delete`
 * deletes whatever there is.
 */
export type AudioFileUse = 'upload' | 'begin' | 'end' | 'read' | 'delete';

/** What a function touches; CDK turns it into grants and environment, nothing else is reachable. */
export interface Uses {
  readonly tables?: Readonly<Partial<Record<TableId, Access>>>;
  /** Sends messages to these. */
  readonly queues?: readonly QueueId[];
  readonly inference?: true;
  /** Has the model for long audio read a file of the bucket, and write its text there. */
  readonly asyncInference?: true;
  /** What it does with the files of long audio. */
  readonly audioFiles?: AudioFileUse;
  /** Reads or writes the closed months of the ledger. */
  readonly archive?: 'read' | 'write';
  /** Calls the encoders that the stage has for the analysis of texts, beside the chat model of its setting. */
  readonly encoders?: true;
  readonly mail?: true;
  /** Sends messages to phones. */
  readonly messaging?: true;
  /** Verifies tokens of the identity provider. */
  readonly identityProvider?: true;
}

/** What a caller of the route declares; `defineRoute` fills in the rest. */
interface RouteDeclaration {
  /** Operation id, and the name of its Lambda function. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the origin, with `{name}` for path parameters. */
  readonly path: `/api/${string}` | `/v1/${string}` | `/openai/v1/${string}`;
  /** What it does, as the title of its page: at most 50 characters. */
  readonly summary: string;
  /** What the summary leaves out, in sentences. */
  readonly note?: string;
  readonly credential: Credential;
  /** Refused with 403 until the account's email address is confirmed. */
  readonly confirmed?: true;
  /** Refused with 403 to sessions of another role. */
  readonly role?: 'operator';
  readonly pathInput?: GenericSchema;
  readonly queryInput?: GenericSchema;
  readonly bodyInput?: GenericSchema;
  /** Of a form, where the route takes JSON too; else `bodyInput` is of the one kind that it takes. */
  readonly formInput?: GenericSchema;
  /** Kinds of bodies that it takes; JSON by default. */
  readonly bodyKinds?: readonly BodyKind[];
  /** Schema of the response: the envelope's `data`, or all of a bare response; undeclared fields never leave. Absent: `data` is null. */
  readonly output?: GenericSchema;
  /**
   * What a success is; JSON by default. Of both, a caller chooses by the Accept header. Audio is streamed: its route has
   * the streaming integration, and no `output` where it is all there is.
   */
  readonly responseKinds?: readonly ResponseKind[];
  /** `message` and HTTP status of a success; SUCCESS and 200 by default. */
  readonly success?: { readonly status: number; readonly message: string };
  /** What the operation itself may refuse with, beside what follows from the rest of the row (`route-errors.ts`). */
  readonly refusals?: readonly ErrorCode[];
  /**
   * A priced call is metered: what it is charged as unless its order names another service, and which capability of a model it needs, or
   * of a call without a model which plan at least.
   */
  readonly priced?: {
    readonly service: ServiceName;
    readonly capability?: Capability;
    readonly minPlanRank?: number;
  };
  /** Takes an Idempotency-Key: requests with the same one run once. Needs write access to the table `idempotency`. */
  readonly idempotent?: true;
  readonly uses: Uses;
  /** May open a session: the edge adds the caller's country for it. A POST, of which the edge caches nothing. */
  readonly opensSession?: true;
  /** The streaming integration: bytes are sent as they are generated, and the response may take longer than 29 s. */
  readonly streaming?: true;
  readonly maxBodyBytes?: number;
  /** What a 413 adds: where larger ones go. */
  readonly largerBodies?: string;
  readonly timeoutSeconds?: number;
  readonly memoryMb?: number;
}

export interface Route extends RouteDeclaration {
  /** How its responses and errors are written; follows from its path. */
  readonly format: FormatName;
  readonly success: { readonly status: number; readonly message: string };
  readonly bodyKinds: readonly BodyKind[];
  readonly responseKinds: readonly ResponseKind[];
  readonly maxBodyBytes: number;
  /** The function's; the gateway waits a second longer, the model's deadline is shorter (docs/meter.md). */
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
}

type Defaulted = 'success' | 'bodyKinds' | 'responseKinds' | 'maxBodyBytes' | 'timeoutSeconds' | 'memoryMb';

const defaults: Required<Pick<Route, Defaulted>> = {
  success: { status: 200, message: 'SUCCESS' },
  bodyKinds: ['json'],
  responseKinds: ['json'],
  maxBodyBytes: limits.bodyBytes,
  timeoutSeconds: 28,
  memoryMb: 512,
};

export const defineRoute = <const R extends RouteDeclaration>(declaration: R) => ({
  ...defaults,
  format: formatNameOf(declaration.path),
  ...declaration,
});
