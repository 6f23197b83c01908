import * as v from 'valibot';
import { jobs } from '#contract/jobs.ts';
import { queueJob } from '#runtime/jobs/queue-job.ts';
import { perEnvironment } from '#runtime/process.ts';
import { createCallServices } from '#runtime/services/call-services.ts';

const Message = v.object({ accountId: v.number(), agentId: v.string(), id: v.string() });

export const indexDocuments = () => {
  const callServices = perEnvironment(() => createCallServices(jobs.indexDocuments));
  return queueJob(
    async (message) => {
      const index = (await callServices().agents()).indexing();
      await index(v.parse(Message, message));
    },
    { concurrent: true },
  );
};
