import { projectImage } from '#runtime/project-image.ts';
import { imageRetryJob } from '#runtime/queue-job.ts';

export const handler = imageRetryJob(projectImage);
