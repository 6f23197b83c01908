import { expect, test } from 'vitest';
import { jobs } from '#contract/jobs.ts';
import { routes } from '#contract/routes.ts';
import { apiHandler, jobHandler } from '#local/gateway/lambda.ts';

test('a process builds each handler once', async () => {
  const { id } = routes.createChatCompletion;
  expect(await apiHandler(id)).toBe(await apiHandler(id));
  expect(await jobHandler(jobs.indexDocuments)).toBe(await jobHandler(jobs.indexDocuments));
});
