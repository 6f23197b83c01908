import { projectImage } from '#runtime/jobs/project-image.ts';
import { itemStreamJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';

/** One account that fails holds up no other (docs/adr/0011-typed-jobs.md). */
export const handler = itemStreamJob(projectImage, () => services().ledgerRetry());
