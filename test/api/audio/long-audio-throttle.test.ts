import { afterAll, beforeAll, expect, it } from 'vitest';
import { longAudio } from '#contract/audio/transcriptions.ts';
import { limits } from '#contract/shared/limits.ts';
import { newUpload } from '#test/audio/long-audio.ts';
import { withEnvironment } from '#test/service/environment.ts';
import { code, startTestService, type TestService } from '#test/service/service.ts';

let service: TestService;
const restore = withEnvironment({ NETWORK_LIMITS: 'on' });
beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  await service.close();
  restore();
});

it('uploads are sixty in a minute, also those that are refused', async () => {
  const { key } = await service.person();
  const codes: string[] = [];
  for (let count = 0; count < limits.uploadsPerMinute; count++) codes.push(code(await newUpload(service, key, 10)));
  expect(codes.filter((one) => one === '201 SUCCESS')).toHaveLength(longAudio.openUploads);
  expect(new Set(codes.slice(longAudio.openUploads))).toEqual(new Set(['409 INVALID_STATE']));
  const refused = await newUpload(service, key, 10);
  expect(code(refused)).toBe('429 RATE_LIMIT_EXCEEDED');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(code(await newUpload(service, (await service.person()).key, 10))).toBe('201 SUCCESS');
});
