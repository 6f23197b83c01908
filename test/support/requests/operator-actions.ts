import { beforeAll } from 'vitest';
import { services } from '#runtime/services/container.ts';
import { type Person, useTestService } from '../service/service.ts';

export const reason = 'asked for in ticket 4711';

export const setRole = async ({ email }: Pick<Person, 'email'>, role: 'operator' | 'viewer') =>
  (await services().operators()).actions().setRole(email, role);

/** The service with an operator, operator actions, and the calls of account owners. */
export function useOperator() {
  const service = useTestService();
  const operator = {} as Person;
  beforeAll(async () => {
    Object.assign(operator, await service.person());
    await setRole(operator, 'operator');
  });

  const me = (cookie: string) => service.call('GET', '/api/auth/me', { cookie });
  const balanceOf = async (key: string) => (await service.call('GET', '/api/credits/me', { key })).body.data;
  const act = (method: string, path: string, body: object = {}, cookie = operator.cookie, headers = {}) =>
    service.call(method, `/api/operator/accounts/${path}`, { cookie, headers, body: { reason, ...body } });
  const trail = (query = '') => service.call('GET', `/api/operator/audit${query}`, { cookie: operator.cookie });
  const eventsOf = async ({ id }: { readonly id: number }) => (await trail(`?accountId=${id}`)).body.data.events;
  const suspend = ({ id }: Person) => act('POST', `${id}/suspend`);
  const resume = ({ id }: Person) => act('POST', `${id}/resume`);
  const assign = ({ id }: Person, planId: string) => act('PUT', `${id}/plan`, { planId });
  const grant = ({ id }: Pick<Person, 'id'>, credits: number) => act('POST', `${id}/credits`, { credits });

  return { service, operator, me, balanceOf, act, trail, eventsOf, suspend, resume, assign, grant };
}
