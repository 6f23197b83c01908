import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended } from '#test/audio/long-audio.ts';
import { hanging } from '#test/audio/long-jobs.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { startTestService, type TestService } from '#test/service/service.ts';

let data: string;
let service: TestService;
beforeAll(async () => {
  data = await testFolder();
  service = await startTestService({ data });
});
afterAll(async () => {
  await service.close();
  await removeFolder(data);
});

it('a transcription whose model had not ended when the service did is ended by the next one', async () => {
  const person = await service.person({ planRank: 3, credits: 100 });
  const id = await hanging(service, person);
  await service.close();
  service = await startTestService({ data });
  expect(await ended(service, person.key, id)).toMatchObject({ status: 'completed', credits: 2 });
});
