import type { Person, TestService } from '../service/service.ts';

export const reason = 'asked for in ticket 4711';

/** What an operator does with accounts, and what their owners notice. */
export function operatorActions(service: () => TestService, operator: () => Person) {
  const me = (cookie: string) => service().call('GET', '/api/auth/me', { cookie });
  const balanceOf = async (key: string) => (await service().call('GET', '/api/credits/me', { key })).body.data;

  const act = (method: string, path: string, body: object = {}, cookie = operator().cookie, headers = {}) =>
    service().call(method, `/api/operator/accounts/${path}`, { cookie, headers, body: { reason, ...body } });
  const trail = (query = '') => service().call('GET', `/api/operator/audit${query}`, { cookie: operator().cookie });
  const eventsOf = async ({ id }: { readonly id: number }) => (await trail(`?accountId=${id}`)).body.data.events;
  const suspend = ({ id }: Person) => act('POST', `${id}/suspend`);
  const resume = ({ id }: Person) => act('POST', `${id}/resume`);
  const assign = ({ id }: Person, planId: string) => act('PUT', `${id}/plan`, { planId });
  const grant = ({ id }: Person, credits: number) => act('POST', `${id}/credits`, { credits });

  return { me, balanceOf, act, trail, eventsOf, suspend, resume, assign, grant };
}
