import type { Person, TestService } from '#test/service/service.ts';

/** How tests read the requests of a person. */
export function requestReader(service: TestService) {
  async function list({ cookie }: Pick<Person, 'cookie'>, query = '') {
    const response = await service.call('GET', `/api/requests${query}`, { cookie });
    return { status: response.status, detail: response.body.detail, ...response.body.data };
  }

  /** The recorded requests of a person, once there are `count`. */
  async function recorded(person: Person, count: number, query = ''): Promise<any[]> {
    for (let tries = 0; tries < 100; tries++) {
      await service.settled();
      const { requests } = await list(person, query);
      if (requests.length >= count) return requests;
    }
    throw new Error(`there are no ${count} requests`);
  }

  return { list, recorded };
}
