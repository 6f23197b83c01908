import { projectImage } from '#runtime/jobs/project-image.ts';
import { imageRetryJob } from '#runtime/jobs/queue-job.ts';

export const handler = imageRetryJob(projectImage);
