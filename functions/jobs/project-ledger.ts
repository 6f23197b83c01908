import { services } from '#runtime/container.ts';
import { streamJob } from '#runtime/stream-job.ts';

export const handler = streamJob((image) => services().ledger().project(image));
