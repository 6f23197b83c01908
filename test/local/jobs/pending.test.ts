import { afterEach, beforeEach, expect, it } from 'vitest';
import { ended } from '#test/audio/long-audio.ts';
import { hanging } from '#test/audio/long-jobs.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

let data: string;
let service: TestService;
beforeEach(async () => {
  data = await testFolder();
  service = await startTestService({ data, receiptDelayMs: 3_600_000 });
});
afterEach(async () => {
  await service.close();
  await removeFolder(data);
});

async function restart(): Promise<void> {
  await service.close();
  service = await startTestService({ data });
}

it('a transcription that is unfinished at shutdown completes after the restart', async () => {
  const person = await service.person({ planRank: 3, credits: 100 });
  const id = await hanging(service, person);
  await restart();
  expect(await ended(service, person.key, id)).toMatchObject({ status: 'completed', credits: 2 });
});

it('a message without receipts at shutdown receives them after the restart', async () => {
  const { key } = await service.person({ planRank: 2 });
  const body = { channel: 'sms', to: '+14155550142', text: 'Hello' };
  const { id, status } = (await service.call('POST', '/api/messages', { key, body })).body.data;
  expect(status).toBe('sent');
  await restart();
  await expect
    .poll(async () => (await service.call('GET', `/api/messages/${id}`, { key })).body.data.status, { timeout: 10_000 })
    .toBe('delivered');
});
