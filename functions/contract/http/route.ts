import type { GenericSchema } from 'valibot';
import type { ServiceName } from '../billing/prices.ts';
import type { Capability } from '../offer/offer.ts';
import type { SessionAccess } from '../organizations/roles.ts';
import type { QueueId, TableId } from '../platform/resources.ts';
import { type ErrorCode, errorStatus } from '../shared/errors.ts';
import { limits } from '../shared/limits.ts';
import { type FormatName, formatNameOf } from './format.ts';
import type { BodyKind, ResponseKind } from './request.ts';

/**
 * Credentials that a route accepts: a session, an API key, either, none, or an optional session
 * (docs/security.md#sessions-and-cookies).
 */
export type Credential = 'none' | 'session' | 'key' | 'session or key' | 'session if any';

/**
 * Access of a function to a table. `read`: reads only. `write`: also puts and updates items. `delete`: also deletes
 * them. `append`: reads and inserts items, and increments counters. `insert`: only inserts items. `add`: only puts items.
 * `move`: like `write`, and also scans the table and deletes items in batches. `scan and delete`: like `delete`, and also
 * scans the table.
 */
export type Access = 'read' | 'write' | 'delete' | 'append' | 'insert' | 'add' | 'move' | 'scan and delete';

/**
 * Access to the files of long audio. `upload`: lets callers upload one. `begin`: passes it to the model. `end`: stores
 * the text of the model's reply. `read`: reads that text. `delete`: deletes any of them.
 */
export type AudioFileUse = 'upload' | 'begin' | 'end' | 'read' | 'delete';

/**
 * Access to stored prompts and responses, if the stage stores them. `enable`: only knows that it does. `delete`: also
 * reads.
 */
export type ContentUse = 'enable' | 'write' | 'read' | 'delete';

/** Resources that a function uses. CDK derives its grants and environment from them. */
export interface Uses {
  readonly tables?: Readonly<Partial<Record<TableId, Access>>>;
  /** Queues to which the function sends messages. */
  readonly queues?: readonly QueueId[];
  readonly inference?: true;
  /** Starts transcriptions: the model for long audio reads a file of the bucket and writes its reply there. */
  readonly asyncInference?: true;
  /** Access to the files of long audio. */
  readonly audioFiles?: AudioFileUse;
  readonly content?: ContentUse;
  /** Access to the closed months of the ledger. */
  readonly archive?: 'read' | 'write';
  /** Calls the stage's encoders for text analysis, in addition to the chat model of its setting. */
  readonly encoders?: true;
  readonly mail?: true;
  /** Sends messages to phones. */
  readonly messaging?: true;
  /** Verifies tokens of the identity provider. */
  readonly identityProvider?: true;
  /** Calls the payment provider, if the stage accepts payments. */
  readonly payments?: true;
}

/** Declaration of a route. `defineRoute` adds the rest. */
interface RouteDeclaration {
  /** Operation id, and the name of its Lambda function. */
  readonly id: string;
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path from the origin, with `{name}` for path parameters. */
  readonly path: `/api/${string}` | `/v1/${string}` | `/openai/v1/${string}` | '/anthropic' | `/anthropic/v1/${string}`;
  /** Title in the API reference, at most 50 characters. */
  readonly summary: string;
  /** Additional sentences for the API reference. */
  readonly note?: string;
  readonly credential: Credential;
  /** Roles of the organization that may use the route with a session; otherwise 403. Required if it accepts one. */
  readonly access?: SessionAccess;
  /** The organization is the `id` of the path, in place of the header's. */
  readonly namesOrganization?: true;
  /** Remains available to members without the second factor that their organization requires. */
  readonly withoutSecondFactor?: true;
  /** Requires a confirmed email address; otherwise 403. */
  readonly confirmed?: true;
  /** Requires a session with this role; otherwise 403. */
  readonly role?: 'operator';
  readonly pathInput?: GenericSchema;
  readonly queryInput?: GenericSchema;
  readonly bodyInput?: GenericSchema;
  /** Schema of a form, if the route also accepts JSON. Otherwise `bodyInput` describes its only kind of body. */
  readonly formInput?: GenericSchema;
  /** Passes the bytes of the body and this header to the operation unchanged. */
  readonly rawBody?: { readonly header: string };
  /** Kinds of bodies that the route accepts. Default: JSON. */
  readonly bodyKinds?: readonly BodyKind[];
  /**
   * Schema of the envelope's `data`, or of a whole bare response. Undeclared fields are removed from responses. Without
   * it, `data` is null.
   */
  readonly output?: GenericSchema;
  /**
   * Kinds of successful responses. Default: JSON. With several, the Accept header selects one. A route with audio uses
   * the streaming integration, and has no `output` if audio is its only kind.
   */
  readonly responseKinds?: readonly ResponseKind[];
  /** `message` and HTTP status of a success. Defaults: SUCCESS and 200. */
  readonly success?: { readonly status: number; readonly message: string };
  /** Error codes of the operation itself, in addition to those implied by the route (`errorCodesOf`). */
  readonly refusals?: readonly ErrorCode[];
  /**
   * Makes the call priced. `service` is charged unless the order names another one. `capability` is the required
   * capability of the model; a call without a model requires a minimum plan instead. `settlesItself`: the operation
   * settles its hold in a transaction with the items that the charge pays for.
   */
  readonly priced?: {
    readonly service: ServiceName;
    readonly capability?: Capability;
    readonly minPlanRank?: number;
    readonly settlesItself?: true;
  };
  /**
   * Accepts an Idempotency-Key: requests with the same key run once. Requires write access to the table `idempotency`.
   */
  readonly idempotent?: true;
  readonly uses: Uses;
  /**
   * May open a session, for which CloudFront adds the caller's country. Use POST, because POST responses are never
   * cached.
   */
  readonly opensSession?: true;
  /** Uses the streaming integration: bytes are sent as they are generated, and the response may exceed 29 s. */
  readonly streaming?: true;
  readonly maxBodyBytes?: number;
  /** Appended to the detail of a 413, with the alternative for larger bodies. */
  readonly largerBodies?: string;
  readonly timeoutSeconds?: number;
  readonly memoryMb?: number;
}

export interface Route extends RouteDeclaration {
  /** Format of responses and errors, determined by the path. */
  readonly format: FormatName;
  readonly success: { readonly status: number; readonly message: string };
  readonly bodyKinds: readonly BodyKind[];
  readonly responseKinds: readonly ResponseKind[];
  readonly maxBodyBytes: number;
  /** Timeout of the function. The gateway waits a second longer; the model's deadline is shorter (docs/meter.md). */
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

/** Makes every route that accepts a session declare who may use it. */
type Accessible =
  | { readonly credential: 'none' | 'key'; readonly access?: never }
  | { readonly credential: 'session' | 'session or key'; readonly access: SessionAccess }
  | { readonly credential: 'session if any'; readonly access: 'person' };

export const defineRoute = <const R extends RouteDeclaration & Accessible>(declaration: R) => ({
  ...defaults,
  format: formatNameOf(declaration.path),
  ...declaration,
});

const cutServices: ReadonlySet<ServiceName> = new Set(['translation', 'text_analysis']);

/** Whether the path or body names a model, which may be deprecated or retired. */
export const namesModel = ({ pathInput, bodyInput }: Route): boolean =>
  [pathInput, bodyInput].some((schema) => schema && 'entries' in schema && hasModel(schema.entries));

/** Every route with the envelope refuses unknown query parameters. */
const takesInput = ({ format, pathInput, queryInput, bodyInput, idempotent }: Route): boolean =>
  format === 'envelope' || Boolean(pathInput ?? queryInput ?? bodyInput ?? idempotent);

const hasModel = (entries: unknown): boolean =>
  typeof entries === 'object' && entries !== null && Object.hasOwn(entries, 'model');

/** Whether a request acts for an organization, and not for a person or nobody. */
export const actsForOrganization = ({ access, credential }: Pick<Route, 'access' | 'credential'>): boolean =>
  access === undefined ? credential === 'key' : access !== 'person';

/**
 * Query parameters that a route accepts, or undefined for any: clients of other providers' APIs send their own, such as
 * `beta=true`.
 */
export function queryNamesOf({
  format,
  queryInput,
}: Pick<Route, 'format' | 'queryInput'>): readonly string[] | undefined {
  if (format !== 'envelope') return undefined;
  const entries = queryInput && 'entries' in queryInput ? queryInput.entries : {};
  return typeof entries === 'object' && entries !== null ? Object.keys(entries) : [];
}

/**
 * Whether prompts and responses of a route may be stored: those of the streaming integration, whose functions can write
 * after the response.
 */
export const canStoreContent = ({ uses }: Pick<Route, 'uses'>): boolean => uses.content === 'write';

/** Returns every error code that an operation may return, by status: those implied by its route, and its own. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const { access, credential, method, priced } = route;
  const changes = method !== 'GET' && method !== 'HEAD';
  const possible: readonly [condition: unknown, ...codes: ErrorCode[]][] = [
    [true, 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', ...(route.refusals ?? [])],
    [changes, 'PAYLOAD_TOO_LARGE'],
    [route.bodyInput, 'UNSUPPORTED_MEDIA_TYPE'],
    [credential !== 'none' && credential !== 'session if any', 'INVALID_API_KEY'],
    [takesInput(route), 'INVALID_FORMAT'],
    // 403: an API key where a session is required, and a cross-site request with the browser's session.
    [credential === 'session' || (changes && credential !== 'key'), 'INSUFFICIENT_PERMISSIONS'],
    [route.confirmed, 'ACCOUNT_NOT_CONFIRMED'],
    // An organization that the caller may not use, or not with its role.
    [
      actsForOrganization(route),
      'INVALID_FORMAT',
      'NOT_FOUND',
      ...(access ? (['INSUFFICIENT_PERMISSIONS'] as const) : []),
    ],
    [actsForOrganization(route) && access && !route.withoutSecondFactor, 'SECOND_FACTOR_NOT_ENABLED'],
    [priced, 'INSUFFICIENT_PERMISSIONS', 'KEY_LIMIT_EXCEEDED', 'RATE_LIMIT_EXCEEDED', 'INSUFFICIENT_CREDITS'],
    [priced?.capability, 'MODEL_ERROR', 'MODEL_TIMEOUT'],
    [namesModel(route), 'NOT_FOUND'],
    // Texts to translate or analyze are split into parts that fit.
    [priced?.capability && !cutServices.has(priced.service), 'CONTEXT_LENGTH_EXCEEDED'],
    [priced?.capability && route.streaming && priced.capability !== 'embeddings', 'REQUEST_CANCELLED'],
    // Daily limit of unpriced requests with an Idempotency-Key.
    [route.idempotent && !priced, 'RATE_LIMIT_EXCEEDED'],
    [route.idempotent, 'REQUEST_IN_PROGRESS', 'REPLAY_UNAVAILABLE', 'IDEMPOTENCY_KEY_REUSED'],
  ];
  const codes = new Set(possible.flatMap(([condition, ...codes]) => (condition ? codes : [])));
  return [...codes].toSorted((one, other) => errorStatus[one] - errorStatus[other] || one.localeCompare(other));
}
