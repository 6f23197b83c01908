import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { adts } from '#test/audio/files.ts';
import { transcribed, uploaded } from '#test/audio/long-audio.ts';
import { webm } from '#test/audio/recordings.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

it('an upload of next to nothing by its header is an order as any other', async () => {
  const { key } = await service.person({ planRank: 3, credits: 100 });
  const uploadId = await uploaded(service, key, webm({ seconds: 0, headerSeconds: 1e-250 }), 'audio/webm');
  expect(code(await transcribed(service, key, uploadId))).toBe('201 SUCCESS');
});

it('an upload that the credits do not pay is read once, however often it is ordered', async () => {
  const { key } = await service.person({ planRank: 3, credits: 0.1 });
  const frames = adts(4000, 200);
  const uploadId = await uploaded(service, key, frames, 'audio/aac');
  const send = vi.spyOn(S3Client.prototype, 'send');
  const reads = () => send.mock.calls.filter(([command]) => command instanceof GetObjectCommand).length;
  expect(code(await transcribed(service, key, uploadId))).toBe('402 INSUFFICIENT_CREDITS');
  const once = reads();
  expect(once).toBeGreaterThan(0);
  for (let tries = 0; tries < 3; tries++)
    expect(code(await transcribed(service, key, uploadId))).toBe('402 INSUFFICIENT_CREDITS');
  expect(reads()).toBe(once);
  send.mockRestore();
});
