import { describe, expect, it } from 'vitest';
import { useTestService } from '#test/service/service.ts';

const service = useTestService();

const get = (accept?: string) =>
  fetch(`${service.origin}/_local/clock`, { headers: accept === undefined ? {} : { accept } });
const advance = async (duration: string) => service.post('/_local/clock', { advance: duration });

describe('GET /_local/clock', () => {
  it('returns JSON to programs, and a page with the two moves to browsers', async () => {
    expect(await (await get()).json()).toEqual({ now: expect.stringMatching(/^\d{4}-.*Z$/) });
    const page = await get('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await page.text();
    expect(html).toContain('Text AI platform');
    expect([...html.matchAll(/data-advance="(\w+)">([^<]+)</g)].map(([, move, label]) => [move, label])).toEqual([
      ['P1D', '+1 day'],
      ['P1M', '+1 month'],
    ]);
  });
});

describe('POST /_local/clock', () => {
  it('responds with done: true when the due work is done', async () => {
    const { key } = await service.person();
    const month = await advance('P1M');
    expect(month).toEqual({ now: expect.any(String), done: true });
    await service.settled();
    const credits = await service.call('GET', '/api/credits', { key });
    const grants = credits.body.data.entries.filter(({ type }: { type: string }) => type === 'grant');
    expect(grants).toHaveLength(2);
  });

  it('advances accounts by more months than one run of the sweep', async () => {
    const { id } = await service.person();
    const { done, now } = await advance('P20Y');
    expect(done).toBe(true);
    const { services } = await import('#runtime/services/container.ts');
    expect((await services().metering().find(id))!.due * 1000).toBeGreaterThan(Date.parse(now));
  });

  it('refuses a request from another origin', async () => {
    const headers = { origin: 'http://evil.example', 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"advance":"P1D"}' };
    expect((await fetch(`${service.origin}/_local/clock`, init)).status).toBe(403);
  });
});
