import type { Route } from '#contract/http/route.ts';
import { mayAccess, type OrganizationAccess, organizationHeader, roleNames } from '#contract/organizations/roles.ts';
import type { Holder } from '#domain/accounts/sessions.ts';
import { noSecondFactor, roleTooSmall, unknownOrganization } from '#domain/organizations/organization.ts';
import type { Credential } from '#domain/shared/credential.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Identity, KeyCaller, SessionCaller } from './call.ts';

const shape = /^[1-9]\d{0,15}$/;

/**
 * Judges the organization that a request names, in the path or the header (docs/accounts.md#organizations). `authorize`
 * throws the refusal, because other refusals precede it.
 */
export function organizationRules(route: Route, named: readonly string[]) {
  const [text = ''] = named.length === 1 && shape.test(named[0] ?? '') ? named : [];
  const id = Number.isSafeInteger(Number(text)) ? Number(text) : 0;

  /**
   * The caller acts for the personal organization if the named one cannot be used, so that nothing is recorded there.
   */
  function identityOf(session: Credential, { account, hasSecondFactor, membership }: Holder): Identity {
    const person = { kind: 'session', account, session, hasSecondFactor } as const;
    const personal: SessionCaller = { ...person, accountId: account.id, role: 'owner' };
    if (id === account.id) return { caller: personal };
    if (!membership) return { caller: personal, refusal: unknownOrganization() };
    if (membership.isSuspended) return { caller: personal, refusal: suspended() };
    const { role, requiresSecondFactor } = membership;
    const { access } = route;
    const mayUse = access === undefined || access === 'person' || mayAccess(access, role);
    const caller: SessionCaller = { ...person, accountId: id, role };
    if (!mayUse) return { caller, refusal: roleTooSmall(access, role) };
    const isLocked = requiresSecondFactor && !hasSecondFactor && !route.withoutSecondFactor;
    return isLocked ? { caller, refusal: noSecondFactor() } : { caller };
  }

  return {
    id: id === 0 ? undefined : id,
    // The schema of the path refuses a malformed one.
    malformed: id === 0 && !route.namesOrganization ? malformedHeader() : undefined,
    identityOf,
    refusalOfKey: ({ accountId }: KeyCaller) => (accountId === id ? undefined : foreignKey()),
  };
}

export const keyTooSmall = (access: OrganizationAccess) =>
  new ServiceError(
    'INSUFFICIENT_PERMISSIONS',
    `API keys of an organization cannot be used for this. Sign in as a member with the role ${roleNames(access)}.`,
  );

const malformedHeader = () =>
  new ServiceError(
    'INVALID_FORMAT',
    `The ${organizationHeader} header must be sent at most once, with the id of an organization.`,
  );

const suspended = () => new ServiceError('INSUFFICIENT_PERMISSIONS', 'The organization is suspended. Contact support.');

const foreignKey = () =>
  new ServiceError('NOT_FOUND', `The API key does not belong to the organization of ${organizationHeader}.`);
