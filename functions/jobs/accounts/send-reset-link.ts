import * as v from 'valibot';
import { streamJob } from '#runtime/jobs/stream-job.ts';
import { services } from '#runtime/services/container.ts';

const Image = v.object({ resetRequest: v.string() });

export const handler = streamJob((image) => services().passwords().sendResetLink(v.parse(Image, image).resetRequest));
