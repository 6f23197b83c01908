import { voices } from '#contract/audio/speech.ts';
import { audioRoutes } from '#contract/routes/audio.ts';
import { endpoint } from '#runtime/endpoints/endpoint.ts';
import type { Operation } from '#runtime/endpoints/operation.ts';

const listVoices: Operation<typeof audioRoutes.listVoices> = () => ({ items: [...voices], nextCursor: null });

export const handler = endpoint(audioRoutes.listVoices, listVoices);
