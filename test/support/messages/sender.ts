import type { Person, TestService } from '../service/service.ts';

let last = 199;

/** A new number in a range of its own. Its last digits select its script; 00 is delivered. */
export function numberFor(script = '00'): string {
  last = last < 999 ? last + 1 : 200;
  return `+1415${last}10${script}`;
}

/** A person on a plan with messages, and calls to send them. */
export async function sender(service: TestService, planRank = 2) {
  const person: Person = await service.person({ planRank });
  const { key } = person;
  const send = (body: object, options: object = {}) =>
    service.call('POST', '/api/messages', { key, body: { channel: 'sms', text: 'Hello', ...body }, ...options });
  const get = async (id: string) => (await service.call('GET', `/api/messages/${id}`, { key })).body.data;
  const list = async (query = '') => (await service.call('GET', `/api/messages${query}`, { key })).body.data;
  const credits = async (): Promise<number> => (await service.call('GET', '/api/credits', { key })).body.data.balance;
  const entries = async (): Promise<any[]> => {
    await service.settled();
    return (await service.call('GET', '/api/credits', { key })).body.data.entries;
  };
  return { ...person, send, get, list, credits, entries };
}

/** The messages that the local phones received at a number. */
export async function reached(service: Pick<TestService, 'origin'>, to: string): Promise<any[]> {
  const all = (await (await fetch(`${service.origin}/_local/messages`)).json()) as { to: string }[];
  return all.filter((message) => message.to === to);
}
