import type { APIGatewayProxyEvent } from 'aws-lambda';
import { actsForOrganization, type Route } from '#contract/http/route.ts';
import { mayAccess, organizationHeader } from '#contract/organizations/roles.ts';
import type { Holder } from '#domain/accounts/sessions.ts';
import type { Proof } from '#domain/inference/order.ts';
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
import type { Identity, KeyCaller, Middleware } from './call.ts';
import { cookieValues, headerValues } from './headers.ts';
import type { organizationRules } from './organization.ts';

/** Milliseconds after the proof of a key in which costly work for it requires no other proof. */
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
  /** Whether the header has the format of a key. */
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
