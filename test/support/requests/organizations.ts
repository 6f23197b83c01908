import type { OrganizationRole } from '#contract/organizations/roles.ts';
import type { CallOptions } from '../service/api-request.ts';
import type { ApiResponse, TestService } from '../service/service.ts';

export interface Session {
  readonly id: number;
  readonly cookie: string;
  readonly email: string;
}

/** Requests for organizations. */
export function organizationCalls(service: TestService) {
  const call = (method: string, path: string, { cookie }: Pick<Session, 'cookie'>, body?: unknown) =>
    service.call(method, `/api/organizations${path}`, { cookie, ...(body !== undefined && { body }) });

  const create = async (owner: Session, name = 'Harbor Works'): Promise<number> =>
    Number((await call('POST', '', owner, { name })).body.data.id);

  const invite = (id: number, by: Session, email: string, role: OrganizationRole): Promise<ApiResponse> =>
    call('POST', `/${id}/invitations`, by, { email, role });

  const accept = ({ cookie }: Pick<Session, 'cookie'>, token: string): Promise<ApiResponse> =>
    service.call('POST', '/api/invitations/accept', { cookie, body: { token } });

  const seen = new Map<string, string>();

  /** The token of the next invitation to an address. */
  async function newToken(email: string): Promise<string> {
    let token = await service.mailedToken(email, seen.get(email));
    while (!token.startsWith('tao_')) token = await service.mailedToken(email, token);
    seen.set(email, token);
    return token;
  }

  /** Adds a person by an invitation. */
  async function join(id: number, owner: Session, member: Session, role: OrganizationRole): Promise<void> {
    const invited = await invite(id, owner, member.email, role);
    if (invited.status !== 201) throw new Error(`the invitation returned ${invited.status} ${invited.body.detail}`);
    const accepted = await accept(member, await newToken(member.email));
    if (accepted.status !== 200) throw new Error(`accepting returned ${accepted.status} ${accepted.body.detail}`);
  }

  /** A request for an organization, named by the header. */
  const within = (id: number | string, method: string, path: string, options: CallOptions): Promise<ApiResponse> =>
    service.call(method, path, { ...options, headers: { 'x-organization': String(id), ...options.headers } });

  return { call, create, invite, accept, tokenTo: newToken, join, within };
}
