import type { APIGatewayProxyEvent } from 'aws-lambda';
import { actsForOrganization, type Route } from '#contract/http/route.ts';
import { organizationHeader } from '#contract/organizations/roles.ts';
import type { Holder } from '#domain/accounts/sessions.ts';
import { refuseRole, unknownOrganization } from '#domain/organizations/organization.ts';
import type { Credential } from '#domain/shared/credential.ts';
import { ServiceError } from '#domain/shared/service-error.ts';
import type { Identity, SessionCaller } from './call.ts';
import { headerValues } from './headers.ts';

const shape = /^[1-9]\d{0,15}$/;

/**
 * The organization that a request names, in the path or the header (docs/accounts.md#organizations). Null if the header
 * is malformed. `validate` refuses a malformed path.
 */
export function namedOrganization(event: APIGatewayProxyEvent, route: Route): number | null | undefined {
  if (!actsForOrganization(route)) return undefined;
  if (route.namesOrganization) return idOf(event.pathParameters?.['id']) ?? undefined;
  const values = headerValues(event, organizationHeader);
  if (values.length === 0) return undefined;
  return values.length === 1 ? idOf(values[0]) : null;
}

function idOf(text = ''): number | null {
  const id = shape.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

export const malformedOrganization = () =>
  new ServiceError(
    'INVALID_FORMAT',
    `The ${organizationHeader} header must be sent at most once, with the id of an organization.`,
  );

const isSuspended = () =>
  new ServiceError('INSUFFICIENT_PERMISSIONS', 'The organization is suspended. Contact support.');

/** The caller acts for the personal organization if the named one cannot be used, so that nothing is recorded there. */
export function identityOf(
  session: Credential,
  { account, membership }: Holder,
  organizationId: number | undefined,
): Identity {
  const person = { kind: 'session', account, session } as const;
  const personal: SessionCaller = { ...person, accountId: account.id, role: 'owner' };
  if (organizationId === undefined || organizationId === account.id) return { caller: personal };
  if (!membership) return { caller: personal, refusal: unknownOrganization() };
  if (membership.isSuspended) return { caller: personal, refusal: isSuspended() };
  return { caller: { ...person, accountId: organizationId, role: membership.role } };
}

/** Refuses (404) an organization that is not the key's. */
export function refuseForeignOrganization({ caller, organization, prove }: Identity): Promise<void> | undefined {
  if (caller.kind !== 'key' || organization === undefined || organization === caller.accountId) return undefined;
  const detail = `The API key does not belong to the organization of ${organizationHeader}.`;
  return Promise.resolve(prove?.()).then(() => {
    throw new ServiceError('NOT_FOUND', detail);
  });
}

/** Refuses an organization that cannot be used (404, 403), then a role that may not use the route (403). */
export function authorizeRole({ access }: Route, { role }: SessionCaller, refusal: ServiceError | undefined): void {
  if (refusal) throw refusal;
  if (access !== undefined && access !== 'person') refuseRole(access, role);
}
