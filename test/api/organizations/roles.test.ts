import { beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '#contract/http/route.ts';
import { type OrganizationRole, organizationRoles } from '#contract/organizations/roles.ts';
import { allRoutes } from '#contract/routes.ts';
import { services } from '#runtime/services/container.ts';
import { organizationCalls, type Session } from '#test/requests/organizations.ts';
import { sampleOf } from '#test/requests/samples.ts';
import { code, usePerson, useTestService } from '#test/service/service.ts';

const everyone = organizationRoles;
const developers = ['owner', 'admin', 'developer'];
const payers = ['owner', 'billing'];
const managers = ['owner', 'admin'];
const owners = ['owner'];

/** The roles that may use each route with a session (docs/accounts.md#organizations). */
const table: Readonly<Record<string, readonly string[]>> = {
  'get-credits': everyone,
  'get-credit-balance': everyone,
  'list-services': everyone,
  'get-service-quota': everyone,
  'get-usage': everyone,
  'get-limits': everyone,
  'list-requests': everyone,
  'get-alerts': everyone,
  'list-keys': everyone,
  'list-plans': everyone,
  'get-subscription': everyone,
  'list-packs': everyone,
  'list-voices': everyone,
  'get-organization': everyone,
  'list-members': everyone,
  // Everyone may leave; others are removed by managers.
  'remove-member': everyone,
  'create-key': developers,
  'change-key': developers,
  'revoke-key': developers,
  'rotate-key': developers,
  'get-request-content': developers,
  'set-key-content': managers,
  'delete-key-content': managers,
  'delete-request-content': managers,
  'create-webhook': developers,
  'list-webhooks': developers,
  'get-webhook': developers,
  'change-webhook': developers,
  'delete-webhook': developers,
  'rotate-webhook-secret': developers,
  'test-webhook': developers,
  'list-deliveries': developers,
  redeliver: developers,
  'create-agent': developers,
  'list-agents': developers,
  'get-agent': developers,
  'change-agent': developers,
  'delete-agent': developers,
  'create-document': developers,
  'list-documents': developers,
  'delete-document': developers,
  'create-conversation': developers,
  'list-conversations': developers,
  'get-conversation': developers,
  'delete-conversation': developers,
  'create-message': developers,
  'send-message': developers,
  'list-messages': developers,
  'get-message': developers,
  translate: developers,
  analyze: developers,
  'create-speech': developers,
  'create-transcription': developers,
  'create-upload': developers,
  'create-transcription-job': developers,
  'list-transcription-jobs': developers,
  'get-transcription-job': developers,
  'delete-transcription-job': developers,
  'set-limits': payers,
  'create-subscription': payers,
  'upgrade-plan': payers,
  'preview-upgrade': payers,
  'downgrade-plan': payers,
  'cancel-subscription': payers,
  'resume-subscription': payers,
  'create-checkout': payers,
  'list-payments': payers,
  'get-payment': payers,
  'create-portal': payers,
  'get-auto-top-up': payers,
  'set-auto-top-up': payers,
  'set-alerts': managers,
  'rename-organization': managers,
  'change-member': managers,
  'list-invitations': managers,
  'create-invitation': managers,
  'withdraw-invitation': managers,
  'require-second-factor': owners,
  'delete-organization': owners,
};

const withSession = allRoutes.filter(({ credential }) => credential.startsWith('session'));
const ofOrganizations = withSession.filter(({ access }) => access !== 'person');

const service = useTestService();
const owner = usePerson(service);
const members = new Map<OrganizationRole, Session>();
let calls: ReturnType<typeof organizationCalls>;
let id: number;

beforeAll(async () => {
  calls = organizationCalls(service);
  id = await calls.create(owner);
  // The paid plan allows every model, and prevents the deletion.
  await services().subscriptions().assign(id, '4');
  members.set('owner', owner);
  for (const role of organizationRoles.slice(1)) {
    const member = await service.person();
    await calls.join(id, owner, member, role);
    members.set(role, member);
  }
}, 60_000);

function request(route: Route, { cookie }: Session) {
  const { path, body } = sampleOf(route);
  const named = route.namesOrganization ? path.replace('/123', `/${id}`) : path;
  return calls.within(id, route.method, named, { cookie, body });
}

it('lists every route that takes a session and is not about the person', () => {
  expect(ofOrganizations.map((route) => route.id).toSorted()).toEqual(Object.keys(table).toSorted());
});

describe.each(organizationRoles)('a member with the role %s', (role) => {
  it.each(ofOrganizations.map((route) => [route.id, route] as const))(
    'may use %s as the table says',
    async (_, route) => {
      const { status, body } = await request(route, members.get(role)!);
      const isRefused = status === 403 && (body.detail ?? '').startsWith('This requires the role');
      expect(isRefused).toBe(!table[route.id]?.includes(role));
      if (!isRefused) return;
      expect(body.message).toBe('INSUFFICIENT_PERMISSIONS');
      const roles = table[route.id] ?? [];
      for (const name of roles) expect(body.detail).toContain(name);
      expect(body.detail).toContain(`yours is ${role}.`);
    },
  );
});

describe('an API key of the organization', () => {
  const withKey = ofOrganizations.filter(({ credential }) => credential === 'session or key');

  it.each(withKey.map((route) => [route.id, route] as const))('may use %s if developers may', async (_, route) => {
    const { path, body: sent } = sampleOf(route);
    const name = { name: 'of a developer' };
    const { cookie } = members.get('developer')!;
    const made = await calls.within(id, 'POST', '/api/keys', { cookie, body: name });
    const { key, id: keyId } = made.body.data;
    const { status, body } = await service.call(route.method, path, { key, body: sent });
    const isRefused = status === 403 && (body.detail ?? '').startsWith('API keys of an organization cannot');
    expect(isRefused).toBe(!table[route.id]?.includes('developer'));
    if (isRefused) for (const role of table[route.id] ?? []) expect(body.detail).toContain(role);
    await calls.within(id, 'DELETE', `/api/keys/${keyId}`, { cookie });
  });

  it('has no such limit in the personal organization', async () => {
    const rules = { rules: [], channels: ['email'] };
    expect(code(await service.call('PUT', '/api/alerts', { key: owner.key, body: rules }))).toBe('200 SUCCESS');
  });
});

describe('routes about the person', () => {
  const read = withSession.filter(({ access, method, role }) => access === 'person' && method === 'GET' && !role);

  it.each(read.map((route) => [route.id, route] as const))('%s ignores the organization', async (_, route) => {
    const { path } = sampleOf(route);
    const bare = await service.call('GET', path, { cookie: owner.cookie });
    for (const named of ['1', 'x']) {
      const { status, body } = await calls.within(named, 'GET', path, { cookie: owner.cookie });
      expect([status, body.message]).toEqual([bare.status, bare.body.message]);
    }
  });
});

describe('the role', () => {
  it('is needed for priced calls with a session, which the organization pays', async () => {
    const route = allRoutes.find((one) => one.id === 'translate')!;
    expect(code(await request(route, members.get('viewer')!))).toBe('403 INSUFFICIENT_PERMISSIONS');
    const before = await balance();
    expect((await request(route, members.get('developer')!)).status).toBe(200);
    expect(await balance()).toBeLessThan(before);
  });

  it('changes with the next request', async () => {
    const member = await service.person();
    await calls.join(id, owner, member, 'viewer');
    const list = () => calls.within(id, 'GET', '/api/webhooks', { cookie: member.cookie });
    expect((await list()).status).toBe(403);
    await calls.call('PATCH', `/${id}/members/${member.id}`, owner, { role: 'developer' });
    expect((await list()).status).toBe(200);
    await calls.call('DELETE', `/${id}/members/${member.id}`, owner);
    expect(code(await list())).toBe('404 NOT_FOUND');
  });

  const balance = async (): Promise<number> =>
    (await calls.within(id, 'GET', '/api/credits', { cookie: owner.cookie })).body.data.balance;
});
