import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route } from '#contract/http/route.ts';
import type { Account } from '#domain/accounts/account.ts';
import type { Proof } from '#domain/inference/tokens.ts';
import { hasWorkingKey } from '#domain/meter/admission/admission.ts';
import type { Meter } from '#domain/meter/meter.ts';
import { type Credential, parseCredential } from '#domain/shared/credential.ts';
import { malformedKey, missingCredential, unknownKey, unknownSession } from '#domain/shared/unauthenticated.ts';
import type { Call, Caller, KeyCaller, Middleware } from './call.ts';
import { cookieValues, headerValues } from './request/headers.ts';

/** What proves a credential; each is one read. */
export interface Authentication {
  readonly sessionCookie: string;
  readonly now: () => number;
  readonly findMeter: (accountId: number) => Promise<Meter | undefined>;
  readonly findBySession: (session: Credential) => Promise<Account | undefined>;
}

/**
 * Finds out who calls (docs/specification.md#authentication). A malformed credential is refused without any read. On a priced route
 * the admission itself checks the key, so here it is only parsed, and `prove` is left for a request that is bad.
 */
export function authenticate(route: Route, authentication: () => Authentication): Middleware {
  /** Reads the key once, however often it is called. */
  function proofOf(caller: KeyCaller, call?: Call): Proof {
    let proof: Promise<void> | undefined;
    async function read(): Promise<void> {
      const { now, findMeter } = authentication();
      const meter = await findMeter(caller.accountId);
      if (!meter || !hasWorkingKey(meter, caller.keyId, now())) throw unknownKey();
      if (!call) return;
      call.isProved = true;
      call.provenMeter = meter;
    }
    return () => (proof ??= read());
  }

  async function callerOf({ credential, isHeader }: Shown): Promise<Caller> {
    const takesSession = route.credential !== 'key';
    if (credential?.kind === 'key') {
      const caller: KeyCaller = { kind: 'key', accountId: credential.accountId, keyId: credential.digest };
      if (!route.priced) await proofOf(caller)();
      return caller;
    }
    if (credential?.kind === 'session' && takesSession) {
      const caller = await sessionCaller(credential);
      if (!caller) throw unknownSession();
      return caller;
    }
    if (isHeader && route.credential !== 'session') throw malformedKey();
    throw missingCredential({ key: route.credential !== 'session', session: takesSession });
  }

  async function sessionCaller(session: Credential): Promise<Caller | undefined> {
    const account = await authentication().findBySession(session);
    return account && { kind: 'session', accountId: account.id, account, session };
  }

  return {
    before: async function authenticateCaller({ event, context: { call } }) {
      if (route.credential === 'none') return;
      const shown = shownCredential(event, authentication().sessionCookie);
      const caller = await (route.credential === 'session if any'
        ? shown.credential?.kind === 'session' && sessionCaller(shown.credential)
        : callerOf(shown));
      if (!caller) return;
      call.caller = caller;
      if (route.priced && caller.kind === 'key') call.prove = proofOf(caller, call);
    },
  };
}

/** What a request has to prove who calls; no `credential` where that is none of ours by its form. */
interface Shown {
  readonly credential: Credential | undefined;
  readonly isHeader: boolean;
}

/**
 * The Bearer value, or the session in the cookie when there is no Authorization header: a key beside a cookie counts, one
 * in the cookie does not. On one machine another service may have set a cookie of that name: it is passed over.
 */
function shownCredential(event: APIGatewayProxyEvent, cookie: string): Shown {
  const headers = headerValues(event, 'authorization');
  if (headers.length > 0) {
    const [, bearer = ''] = (headers.length === 1 && /^Bearer (\S+)$/.exec(headers[0] ?? '')) || [];
    return { credential: parseCredential(bearer), isHeader: true };
  }
  const sent = cookieValues(event, cookie).map(parseCredential);
  return { credential: sent.find((credential) => credential?.kind === 'session'), isHeader: false };
}
