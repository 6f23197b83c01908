import * as v from 'valibot';
import { jobs } from '#contract/jobs.ts';
import { jobOfForm } from '#domain/audio/job.ts';
import { workSignal } from '#runtime/jobs/work-signal.ts';
import { services } from '#runtime/services/container.ts';
import { logger } from '#runtime/telemetry.ts';

/** An asynchronous inference notification (AWS "Check prediction results"), delivered by SNS. */
const Notification = v.object({
  invocationStatus: v.string(),
  requestParameters: v.object({ inputLocation: v.string() }),
  responseParameters: v.optional(v.nullable(v.object({ outputLocation: v.optional(v.string()) }))),
});
const Event = v.object({
  Records: v.array(v.object({ Sns: v.object({ Message: v.pipe(v.string(), v.parseJson(), Notification) }) })),
});

/** Events may be delivered late, repeatedly, or after the job is deleted. */
export const endTranscriptions =
  () =>
  async (event: unknown): Promise<void> => {
    const { Records } = v.parse(Event, event);
    const audio = await services().audioJobs();
    const keyIn = (location = '') => {
      const start = `s3://${audio.bucket()}/`;
      return location.startsWith(start) ? location.slice(start.length) : undefined;
    };
    for (const { Sns } of Records) {
      const { invocationStatus, requestParameters, responseParameters } = Sns.Message;
      const ref = jobOfForm(keyIn(requestParameters.inputLocation) ?? '');
      if (!ref) {
        logger().info('ignored the end of another invocation');
        continue;
      }
      const reply = invocationStatus === 'Completed' ? keyIn(responseParameters?.outputLocation) : undefined;
      await audio.events().modelEnded({ ref, reply: reply?.startsWith('replies/') ? reply : undefined });
    }
  };

export const sweepTranscriptions = () => async (): Promise<void> => {
  const ended = await (await services().audioJobs()).events().sweep(workSignal(jobs.sweepTranscriptions));
  if (ended > 0) logger().info('transcriptions ended', { ended });
};
