import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ambient, resetEnvironment } from '#runtime/process.ts';
import { services } from '#runtime/services/container.ts';
import { rowsOf } from '#test/database/rows.ts';
import { operatorActions, reason } from '#test/requests/operator-actions.ts';
import { code, type Person, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let operator: Person;
let somebody: Person;
beforeAll(async () => {
  service = await startTestService();
  [operator, somebody] = [await service.person(), await service.person()];
  await (await services().operators()).actions().setRole(operator.email, 'operator');
});
afterAll(() => service.close());

const { act, trail, eventsOf, suspend, resume, assign, grant } = operatorActions(
  () => service,
  () => operator,
);

interface Event {
  readonly requestId: string;
  readonly at: string;
}
const newestFirst = (events: readonly Event[]) =>
  events.toSorted((one, other) => (`${one.at} ${one.requestId}` < `${other.at} ${other.requestId}` ? 1 : -1));

/** Runs it while the functions' clock stands at that moment. */
async function at<Result>(moment: number, run: () => Promise<Result>): Promise<Result> {
  const { clock } = ambient;
  ambient.clock = { now: () => moment };
  resetEnvironment();
  try {
    return await run();
  } finally {
    ambient.clock = clock;
    resetEnvironment();
  }
}

describe('the audit trail', () => {
  it('has who did what to whom, why and when, and what it was before and after', async () => {
    const person = await service.person();
    const before = services().clock.now();
    await suspend(person);
    await resume(person);
    await act('POST', `${person.id}/keys/${person.keyId}/suspend`);
    await assign(person, 'pro_pass');
    await grant(person, 5);
    const events = (await eventsOf(person)).toReversed();
    const { keyId } = person;
    expect(events.map((event: Record<string, unknown>) => [event['action'], event['before'], event['after']])).toEqual([
      ['suspend', { status: 'active' }, { status: 'suspended' }],
      ['resume', { status: 'suspended' }, { status: 'active' }],
      ['suspend_key', { keyId, key: 'active' }, { keyId, key: 'suspended' }],
      [
        'assign_plan',
        { plan: 'freemium', subscription: 'none', credits: 100 },
        { plan: 'pro_pass', subscription: 'active', credits: 100_100 },
      ],
      ['grant_credits', { credits: 100_100 }, { credits: 100_105 }],
    ]);
    for (const event of events) {
      expect(event).toMatchObject({
        account: { id: person.id, email: person.email },
        by: { id: operator.id, email: operator.email },
        reason,
        requestId: expect.stringMatching(/^\w{19}$/),
      });
      expect(Date.parse(event.at)).toBeGreaterThanOrEqual(before);
    }
  });

  it('is of all accounts, newest first, page by page', async () => {
    const people = [await service.person(), await service.person()];
    for (const person of [...people, ...people, ...people]) await grant(person, 1);
    const pages: Event[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await trail(`?limit=4${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      pages.push(page.body.data.events);
      cursor = page.body.data.nextCursor;
    }
    const all = pages.flat();
    expect(pages.slice(0, -1).every(({ length }) => length === 4)).toBe(true);
    expect(all).toEqual(newestFirst(all));
    expect(new Set(all.map(({ requestId }) => requestId)).size).toBe(all.length);
    expect(all.length).toBe((await rowsOf('audit')).length / 2);
    expect(await eventsOf(people[0]!)).toHaveLength(3);
  });

  it('has an event of each of two actions of the same moment', async () => {
    const person = await service.person();
    const grants = async () => [await grant(person, 5), await grant(person, 7)];
    const responses = await at(services().clock.now(), grants);
    expect(responses.map(code)).toEqual(['200 SUCCESS', '200 SUCCESS']);
    expect(await eventsOf(person)).toHaveLength(2);
  });

  it('has what made an operator, which no operator can do', async () => {
    const person = await service.person();
    await (await services().operators()).actions().setRole(person.email, 'operator');
    await (await services().operators()).actions().setRole(person.email, 'operator');
    expect(await eventsOf(person)).toEqual([
      expect.objectContaining({
        action: 'set_role',
        by: null,
        reason: 'node bin/operator.ts',
        before: { role: 'viewer' },
        after: { role: 'operator' },
      }),
    ]);
  });

  it('keeps the events of an account that is deleted and purged, without its address', async () => {
    const { cookie, email, password, id } = await service.person();
    await grant({ id } as Person, 5);
    await service.call('POST', '/api/auth/delete-account', { cookie, body: { email, password } });
    await at(services().clock.now() + 31 * 86_400_000, () => services().profile().purge());
    expect(await eventsOf({ id })).toEqual([expect.objectContaining({ account: { id, email: null } })]);
  });

  it.each([
    ['accountId=0', 'accountId must be an account id.'],
    ['accountId=9007199254740993', 'accountId must be an account id.'],
    ['cursor=junk', 'cursor must be the nextCursor of the previous page.'],
    ['limit=0', 'limit must be a number from 1 to 100.'],
    ['limit=101', 'limit must be a number from 1 to 100.'],
  ])('refuses %s with 400', async (query, detail) => {
    const response = await trail(`?${query}`);
    expect([response.status, response.body.detail]).toEqual([400, detail]);
  });

  it.each([
    ['POST', 'credits', { credits: 0 }, 'credits must be positive.'],
    ['POST', 'credits', { credits: 1.5 }, 'credits must be an integer.'],
    ['POST', 'credits', { credits: 1_000_001 }, 'credits must be at most 1000000.'],
    ['PUT', 'plan', { planId: 'platinum' }, 'planId must name a plan.'],
    ['POST', 'suspend', { reason: '' }, 'reason must not be empty.'],
    ['POST', 'suspend', { reason: ' \n' }, 'reason must have a visible character.'],
    ['POST', 'suspend', { reason: '\u200B\u2063\u2800' }, 'reason must have a visible character.'],
    ['POST', 'suspend', { reason: 'x'.repeat(501) }, 'reason must have at most 500 characters.'],
    ['POST', 'suspend', { reason: undefined }, 'reason is required.'],
  ])('has nothing of a refused %s …/%s with %j', async (method, verb, body, detail) => {
    const response = await act(method, `${somebody.id}/${verb}`, body);
    expect([response.status, response.body.detail]).toEqual([400, detail]);
    expect(await eventsOf(somebody)).toEqual([]);
  });

  it('has a reason of 500 characters whole', async () => {
    const person = await service.person();
    const long = '😀'.repeat(500);
    expect(code(await act('POST', `${person.id}/credits`, { credits: 1, reason: long }))).toBe('200 SUCCESS');
    expect((await eventsOf(person))[0].reason).toBe(long);
  });
});
