import type { Person, TestService } from '../service/service.ts';

export const day = (moment: number) => new Date(moment).toISOString().slice(0, 10);

export function subscriptionCalls(service: TestService) {
  const call = (method: string, path: string, { key }: Person, body?: unknown) =>
    service.call(method, path, { key, body });
  const subscribe = (person: Person, planId: string) =>
    call('POST', '/api/subscription/create', person, { planId, billingCycle: 'monthly' });
  const current = async (person: Person) => (await call('GET', '/api/subscription', person)).body.data;
  /** Waits until the ledger has every entry. */
  const credits = async (person: Person) => {
    await service.settled();
    return (await call('GET', '/api/credits', person)).body.data;
  };
  const advance = (duration: string) => service.post('/_local/clock', { advance: duration });
  const now = async () =>
    Date.parse(((await (await fetch(`${service.origin}/_local/clock`)).json()) as { now: string }).now);

  return { call, subscribe, current, credits, advance, now };
}
