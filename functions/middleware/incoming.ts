import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { bodyKindOf, bodyTypes, idempotencyKey, type ResponseKind } from '#contract/http/request.ts';
import { actsForOrganization, queryNamesOf, type Route } from '#contract/http/route.ts';
import { mayAccess, organizationHeader } from '#contract/organizations/roles.ts';
import type { Holder } from '#domain/accounts/sessions.ts';
import type { Order, Proof } from '#domain/inference/order.ts';
import { hasWorkingKey } from '#domain/meter/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { type Credential, hasKeyFormat, parseCredential } from '#domain/shared/credential.ts';
import { RecentMap } from '#domain/shared/recent-map.ts';
import {
  malformedKey,
  missingCredential,
  mistypedKey,
  ServiceError,
  unknownKey,
  unknownSession,
} from '#domain/shared/service-error.ts';
import type { Call, Identity, KeyCaller, Middleware } from './call.ts';
import { cookieValues, headerValues } from './headers.ts';
import { requestBody } from './json-body.ts';
import type { organizationRules } from './organization.ts';

/** Rejects a body by size or media type before authentication (docs/api.md#order-of-refusals). */
export function accept(route: Route): Middleware {
  const types = route.bodyKinds.map((kind) => bodyTypes[kind]).join(' or ');

  return {
    before: function acceptBody({ event, context: { call } }) {
      call.responseKind = acceptedKind(event, route.responseKinds);
      if (!event.body) return;
      if (isLarger(event.body, event.isBase64Encoded, route.maxBodyBytes)) {
        const detail = [`The body may have at most ${route.maxBodyBytes} bytes.`, route.largerBodies].filter(Boolean);
        throw new ServiceError('PAYLOAD_TOO_LARGE', detail.join(' '));
      }
      if (route.bodyInput && !isSupportedMediaType(event, route)) {
        throw new ServiceError(
          'UNSUPPORTED_MEDIA_TYPE',
          `The Content-Type must be ${types}, without a Content-Encoding.`,
        );
      }
    },
  };
}

/** A UTF-16 unit has at most three bytes, so most bodies need no count. */
function isLarger(body: string, isBase64: boolean, maxBytes: number): boolean {
  return body.length * 3 > maxBytes && Buffer.byteLength(body, isBase64 ? 'base64' : 'utf8') > maxBytes;
}

function isSupportedMediaType(event: APIGatewayProxyEvent, { bodyKinds }: Route): boolean {
  const types = headerValues(event, 'content-type');
  const encodings = headerValues(event, 'content-encoding');
  const kind = types.length === 1 ? bodyKindOf(types[0] ?? '') : undefined;
  return (
    kind !== undefined && bodyKinds.includes(kind) && encodings.every((value) => value.toLowerCase() === 'identity')
  );
}

/** Longer Accept headers are ignored; browsers send a few hundred characters. */
const maxCharacters = 1024;

/** Returns audio if the Accept header names audio and does not prefer JSON, else the first kind (RFC 9110, 12.5.1). */
export function acceptedKind(event: APIGatewayProxyEvent, kinds: readonly ResponseKind[]): ResponseKind {
  const [first = 'json'] = kinds;
  if (first === 'audio' || !kinds.includes('audio')) return first;
  const accepted = headerValues(event, 'accept')
    .join(',')
    .slice(0, maxCharacters)
    .toLowerCase()
    .split(',')
    .map(parseMediaRange);
  const weightOf = (type: string) => Math.max(0, ...accepted.flatMap((range) => (range.type === type ? range.q : [])));
  const audio = weightOf('audio');
  return audio > 0 && audio >= weightOf('application') ? 'audio' : first;
}

function parseMediaRange(range: string): { readonly type: string; readonly q: number } {
  const [mediaType = '', ...parameters] = range.split(';').map((part) => part.trim());
  const q = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return { type: mediaType.split('/', 1)[0] ?? '', q: Number.isFinite(q) ? q : 0 };
}

/** Milliseconds for which work for a proved key needs no other proof. */
const provedMs = 60_000;
const maxProvedKeys = 1000;

/** Epoch ms of the last proof of each key in this process. */
const provedAt = new RecentMap<string, number>(maxProvedKeys);
const wasProved = (keyId: string, now: number): boolean =>
  now - (provedAt.get(keyId) ?? Number.NEGATIVE_INFINITY) < provedMs;

export interface Authentication {
  readonly sessionCookie: string;
  readonly now: () => number;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
  readonly findBySession: (session: Credential, organizationId?: number) => Promise<Holder | undefined>;
  /** Returns whether the id is that of a shared organization. */
  readonly isShared: (accountId: number) => Promise<boolean>;
}

/**
 * Authenticates the caller (docs/specification.md#authentication). On a priced route the admission verifies the key,
 * so this middleware only parses it and sets `prove` for requests that fail earlier.
 */
export function authenticate(route: Route, authentication: () => Authentication): Middleware {
  function proofOf(caller: KeyCaller, onProved?: (meter: Meter) => void): Proof {
    let proof: Promise<void> | undefined;
    async function read(): Promise<void> {
      const { now, findMeter } = authentication();
      const meter = await findMeter(caller.accountId);
      if (!meter || !hasWorkingKey(meter, caller.keyId, now())) throw unknownKey();
      provedAt.set(caller.keyId, now());
      onProved?.(meter);
    }
    return () => (proof ??= read());
  }

  async function identityOfCaller(
    { credential, isHeader, hasFormat }: PresentedCredential,
    organization: NamedOrganization | undefined,
  ): Promise<Identity> {
    const takesSession = route.credential !== 'key';
    const keyHeader = route.format === 'anthropic';
    if (credential?.kind === 'key') {
      const caller: KeyCaller = { kind: 'key', accountId: credential.accountId, keyId: credential.digest };
      const refusal = organization?.refusalOfKey(caller);
      if (route.priced) return pricedIdentity(caller, refusal);
      await proofOf(caller)();
      return { caller, refusal: refusal ?? (await refusalByRole(caller)) };
    }
    if (credential?.kind === 'session' && takesSession) {
      const identity = await sessionIdentity(credential, organization);
      if (!identity) throw unknownSession();
      return identity;
    }
    if (isHeader && route.credential !== 'session') throw hasFormat ? mistypedKey() : malformedKey({ keyHeader });
    throw missingCredential({ key: route.credential !== 'session', session: takesSession, keyHeader });
  }

  /** Developers create the keys of a shared organization, so its keys may do no more than developers. */
  async function refusalByRole({ accountId }: KeyCaller): Promise<ServiceError | undefined> {
    const { access } = route;
    if (access === undefined || access === 'person' || mayAccess(access, 'developer')) return undefined;
    if (!(await authentication().isShared(accountId))) return undefined;
    return (await import('./organization.ts')).keyTooSmall(access);
  }

  function pricedIdentity(caller: KeyCaller, refusal: ServiceError | undefined): Identity {
    const prove = proofOf(caller, (meter) => (identity.meter = meter));
    const proveForWork = async () => {
      if (!wasProved(caller.keyId, authentication().now())) await prove();
    };
    const identity: Identity = { caller, refusal, prove, proveForWork };
    return identity;
  }

  async function sessionIdentity(session: Credential, organization?: NamedOrganization): Promise<Identity | undefined> {
    const holder = await authentication().findBySession(session, organization?.id);
    if (!holder) return undefined;
    if (organization?.id !== undefined) return organization.identityOf(session, holder);
    const { account, hasSecondFactor } = holder;
    return { caller: { kind: 'session', accountId: account.id, account, role: 'owner', session, hasSecondFactor } };
  }

  return {
    before: async function authenticateCaller({ event, context: { call } }) {
      if (route.credential === 'none') return;
      const shown = presentedCredential(event, authentication().sessionCookie, route);
      const names = organizationsIn(event, route);
      const organization = names.length > 0 ? await rulesFor(names) : undefined;
      const identity = await (route.credential === 'session if any'
        ? shown.credential?.kind === 'session' && sessionIdentity(shown.credential)
        : identityOfCaller(shown, organization));
      if (!identity) return;
      call.identity = identity;
      if (organization) identity.malformed = organization.malformed;
    },
  };

  /** Loaded only for requests that name an organization. */
  async function rulesFor(names: readonly string[]): Promise<NamedOrganization> {
    const { organizationRules } = await import('./organization.ts');
    return organizationRules(route, names);
  }
}

type NamedOrganization = ReturnType<typeof organizationRules>;

function organizationsIn(event: APIGatewayProxyEvent, route: Route): readonly string[] {
  if (route.namesOrganization) return [event.pathParameters?.['id'] ?? ''];
  return actsForOrganization(route) ? headerValues(event, organizationHeader) : [];
}

interface PresentedCredential {
  readonly credential: Credential | undefined;
  readonly isHeader: boolean;
  /** The header has the format of a key. */
  readonly hasFormat?: boolean;
}

/**
 * Reads the Bearer token, `x-api-key` for Anthropic's clients, or else the session cookie. Other services on localhost
 * may set a cookie of that name.
 */
function presentedCredential(
  event: APIGatewayProxyEvent,
  cookie: string,
  { format }: Pick<Route, 'format'>,
): PresentedCredential {
  const headers = headerValues(event, 'authorization');
  if (headers.length > 0) {
    const [, bearer = ''] = (headers.length === 1 && /^Bearer (\S+)$/.exec(headers[0] ?? '')) || [];
    return { credential: parseCredential(bearer), isHeader: true, hasFormat: hasKeyFormat(bearer) };
  }
  const keys = format === 'anthropic' ? headerValues(event, 'x-api-key') : [];
  if (keys.length > 0) {
    const [key = ''] = keys.length === 1 ? keys : [];
    return { credential: parseCredential(key), isHeader: true, hasFormat: hasKeyFormat(key) };
  }
  const sent = cookieValues(event, cookie).map(parseCredential);
  return { credential: sent.find((credential) => credential?.kind === 'session'), isHeader: false };
}

/** Refuses (403) cross-site changes, keys where a session is required, unconfirmed accounts and non-operators. */
export function authorize(route: Route, publicOrigin: () => string): Middleware {
  return {
    before: function authorizeCaller({ event, context: { call } }): Promise<void> | undefined {
      const { identity } = call;
      const caller = identity?.caller;
      if (!['GET', 'HEAD'].includes(route.method) && isCrossSite(event, publicOrigin(), route)) {
        throw new ServiceError(
          'INSUFFICIENT_PERMISSIONS',
          "Requests from another site cannot use the browser's session.",
        );
      }
      if (route.credential === 'session' && caller?.kind === 'key') {
        throw new ServiceError(
          'INSUFFICIENT_PERMISSIONS',
          'API keys cannot be used for this operation. Sign in to the dashboard.',
        );
      }
      if (!identity || caller?.kind !== 'session') return identity?.refusal && refuseProved(identity);
      if (route.confirmed && caller.account.confirmedAt === undefined) {
        throw new ServiceError(
          'ACCOUNT_NOT_CONFIRMED',
          'Confirm your email address first. Open the link in the email that was sent at registration.',
        );
      }
      if (route.role && caller.account.role !== route.role) {
        throw new ServiceError('INSUFFICIENT_PERMISSIONS', `Only an ${route.role} may do this.`);
      }
      if (identity.refusal) throw identity.refusal;
      return undefined;
    },
  };
}

async function refuseProved({ prove, refusal }: Identity): Promise<void> {
  await prove?.();
  throw refusal;
}

/**
 * Detects cross-site requests (docs/security.md#sessions-and-cookies). Browsers never add a header with a key. A header
 * that the route does not read as one leaves the session in place.
 */
function isCrossSite(event: APIGatewayProxyEvent, publicOrigin: string, { format }: Pick<Route, 'format'>): boolean {
  const keyHeaders = format === 'anthropic' ? ['authorization', 'x-api-key'] : ['authorization'];
  if (keyHeaders.some((name) => headerValues(event, name).length > 0)) return false;
  const sites = headerValues(event, 'sec-fetch-site');
  if (sites.some((site) => site !== 'same-origin' && site !== 'none')) return true;
  const atHosts = headerValues(event, 'host').map((host) => `${schemeOf(publicOrigin)}//${host}`);
  const own = new Set([publicOrigin, ...atHosts]);
  return headerValues(event, 'origin').some((origin) => !own.has(origin));
}

/** The function cannot see the client's scheme, so the public origin decides. */
function schemeOf(publicOrigin: string): string {
  return publicOrigin.startsWith('http://') ? 'http:' : 'https:';
}

function rawBody(event: APIGatewayProxyEvent, header: string) {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const [value = ''] = headerValues(event, header);
  return { bytes, header: value };
}

/** Creates the order, or throws 400. Awaits the proof before work that costs more than parsing. */
export type MakeOrder = (body: unknown, prove: Proof, kind: ResponseKind) => Promise<Order>;

/** Refuses (400) unknown query parameters, and drops undeclared fields. `check` or `makeOrder` refuses (400) violations that no schema can express. */
export function validate(
  route: Route,
  makeOrder?: MakeOrder,
  check?: (call: Call) => void | Promise<void>,
): Middleware {
  return {
    before: async function validateInput({ event, context: { call } }) {
      const prove = async () => call.identity?.prove?.();
      try {
        if (call.identity?.malformed) throw call.identity.malformed;
        const path = parse(route.pathInput, event.pathParameters ?? {}, 'path');
        refuseUnknownQuery(route, event.queryStringParameters ?? {});
        const query = parse(route.queryInput, event.queryStringParameters ?? {}, 'query');
        call.input = { path, query, body: undefined };
        if (route.rawBody) call.input.body = rawBody(event, route.rawBody.header);
        else if (route.bodyInput) {
          const { kind, value, literals } = await requestBody(event, route, prove);
          const schema = kind === 'multipart' ? (route.formInput ?? route.bodyInput) : route.bodyInput;
          call.input.body = parse(schema, value, 'body');
          call.literals = literals;
        }
        const key = route.idempotent && idempotencyKeyOf(event);
        if (key) call.idempotency = { key };
        await check?.(call);
        const proveForWork = async () => call.identity?.proveForWork?.();
        if (makeOrder) call.order = await makeOrder(call.input.body, proveForWork, call.responseKind);
      } catch (error) {
        await prove();
        throw error;
      }
    },
  };
}

/** A name that may be a misplaced secret is not repeated. */
const parameterName = /^[A-Za-z_.[\]-]{1,32}$/;

function refuseUnknownQuery(route: Route, query: Readonly<Record<string, unknown>>): void {
  const known = queryNamesOf(route);
  const unknown = known && Object.keys(query).find((name) => !known.includes(name));
  if (!known || unknown === undefined) return;
  const isShown = parameterName.test(unknown);
  const named = isShown ? `query parameter ${unknown}` : 'such query parameter';
  const accepted = known.length > 0 ? `It accepts ${known.join(', ')}.` : 'It accepts none.';
  throw new ServiceError('INVALID_FORMAT', `This operation has no ${named}. ${accepted}`, {
    ...(isShown && { field: { path: unknown, isMissing: false } }),
  });
}

function parse(schema: v.GenericSchema | undefined, value: unknown, part: string): unknown {
  if (!schema) return undefined;
  const result = v.safeParse(schema, value, { abortEarly: true });
  if (result.success) return result.output;
  throw refusal(result.issues[0], part);
}

/** Valibot reports a missing field with the message of the enclosing object. */
function refusal(issue: v.BaseIssue<unknown>, part: string): ServiceError {
  const path = v.getDotPath(issue);
  const isMissing = issue.type === 'object' && issue.expected !== 'Object';
  const message = isMissing ? 'is required' : issue.message;
  // A message continues the name of its field, unless it is a sentence.
  const detail = message.endsWith('.') ? message : `${path ?? `The ${part}`} ${message}.`;
  return new ServiceError('INVALID_FORMAT', detail, { ...(path !== null && { field: { path, isMissing } }) });
}

const pattern = new RegExp(idempotencyKey.pattern);

/** Strips the optional quotes. Throws 400 for an invalid value. */
export function idempotencyKeyOf(event: APIGatewayProxyEvent): string | undefined {
  const values = headerValues(event, 'idempotency-key');
  if (values.length === 0) return undefined;
  const [, bare, quoted] = (values.length === 1 && pattern.exec(values[0] ?? '')) || [];
  const key = bare ?? quoted?.replaceAll(/\\(.)/g, '$1');
  if (key !== undefined) return key;
  throw new ServiceError(
    'INVALID_FORMAT',
    `The Idempotency-Key header must be sent once, with 1 to ${idempotencyKey.maxLength} printable ASCII characters; a comma needs quotes around them.`,
  );
}
