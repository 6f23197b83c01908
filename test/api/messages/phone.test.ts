import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { numberFor, reached, sender } from '#test/messages/sender.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
let me: Awaited<ReturnType<typeof sender>>;
beforeAll(async () => {
  service = await startTestService();
  me = await sender(service);
});
afterAll(() => service.close());

/** Sends a message; it, as the phone has it. */
async function arrived(about: object): Promise<string> {
  const to = numberFor();
  await me.send({ channel: 'voice_call', to, ...about });
  const [message] = await reached(service, to);
  return message.id;
}
const hear = (id: string, headers: Record<string, string> = {}) =>
  fetch(`${service.origin}/_local/phone/call?id=${id}`, { headers });
const sound = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('a call on the phone', () => {
  it('is heard in a voice that stands for its own, as often as one likes', async () => {
    const text = 'Your table is ready.';
    const [matthew, joanna] = [await arrived({ text }), await arrived({ text, voice: 'joanna' })];
    const first = await hear(matthew);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
    const [his, hers, again] = [await sound(first), await sound(await hear(joanna)), await sound(await hear(matthew))];
    expect([his.length > 5000, hers.length > 5000, his.equals(hers), his.equals(again)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  it('is refused with its reason where there is nothing to hear, and to pages of other sites', async () => {
    const [sms, japanese] = [await arrived({ channel: 'sms', text: 'Hi' }), await arrived({ text: 'こんにちは' })];
    const statuses = [sms, 'unknown', '', japanese].map(async (id) => {
      const response = await hear(id);
      return [response.status, ((await response.json()) as { error: string }).error];
    });
    const none = [404, 'There is no such call.'];
    const unspoken = [422, 'The speech engine cannot speak this text; read it instead.'];
    expect(await Promise.all(statuses)).toEqual([none, none, none, unspoken]);
    expect((await hear(japanese, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('is spoken beside one other at most', async () => {
    const id = await arrived({ text: 'One of many sentences. '.repeat(40) });
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const response = await hear(id);
        await response.arrayBuffer();
        return response.status;
      }),
    );
    expect([200, 503].map((status) => statuses.filter((one) => one === status).length)).toEqual([2, 4]);
    expect((await hear(id)).status).toBe(200);
  });
});
