import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFolder, testFolder } from '#test/folder.ts';
import { numberFor } from '#test/messages/sender.ts';
import { killCommands, type LocalCommand, runLocal } from '#test/service/local-command.ts';
import { withMetrics } from '#test/service/watched/metrics-on.ts';

let folder: string;
let command: LocalCommand;
beforeAll(async () => {
  folder = await testFolder();
  command = runLocal(['--port', '0', '--data', folder], { ...withMetrics, POWERTOOLS_LOG_LEVEL: 'DEBUG' });
  await command.ready;
});
afterAll(async () => {
  await killCommands();
  await removeFolder(folder);
});

it('no result of a message prints or logs its number or text', async () => {
  const origin = await command.ready;
  const { demo } = (await (await fetch(`${origin}/_local/status`)).json()) as { demo: { apiKey: string } };
  const headers = { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' };
  const text = 'Pinguine fliegen nie';
  const numbers = ['00', '02', '03', '04', '05', '06', '07', '08'].map((script) => numberFor(script));
  const send = async (body: object) =>
    (await fetch(`${origin}/api/messages`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  const statuses: number[] = [];
  for (const to of numbers)
    statuses.push(await send({ channel: 'sms', to, text }), await send({ channel: 'voice_call', to, text }));
  for (const to of ['+19005550100', '+79161234567', '+11155550100'])
    statuses.push(await send({ channel: 'sms', to, text }));
  expect(new Set(statuses)).toEqual(new Set([201, 400, 409, 502]));
  const phone = (await (await fetch(`${origin}/_local/messages`)).json()) as { id: string; channel: string }[];
  const calls = phone.filter(({ channel }) => channel === 'voice_call');
  const heard = await Promise.all(calls.slice(0, 2).map(({ id }) => fetch(`${origin}/_local/phone/call?id=${id}`)));
  expect(heard.map(({ status }) => status)).toEqual([200, 200]);
  // The last receipt comes some seconds after its message.
  await expect
    .poll(
      async () => {
        const { data } = (await (await fetch(`${origin}/api/messages?status=sent`, { headers })).json()) as any;
        return data.items.length;
      },
      { timeout: 15_000, interval: 250 },
    )
    .toBe(0);
  expect(command.out() + command.err()).toContain('send-message');
  for (const planted of [...numbers, '9005550100', '9161234567', '1155550100', text.slice(0, 9)])
    expect((command.out() + command.err()).includes(planted)).toBe(false);
});
