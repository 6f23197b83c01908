import * as v from 'valibot';
import { services } from '#runtime/container.ts';
import { streamJob } from '#runtime/jobs/stream-job.ts';

const Image = v.object({ resetRequest: v.string() });

export const handler = streamJob((image) => services().passwords().sendResetLink(v.parse(Image, image).resetRequest));
