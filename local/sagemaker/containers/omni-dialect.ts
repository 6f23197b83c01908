import { containerError, type Engine } from '../engine.ts';

/** The part of an engine that speaks, as vLLM-Omni would be met on /invocations. */
export const asOmni = (engine: Engine): Engine => ({
  invoke: async (body, signal) => engine.speak?.(body, signal) ?? containerError(501, 'This engine does not speak.'),
});

/** What chooses the API of a container that has several (`CustomAttributes`). */
export const speechRoute = 'route=/v1/audio/speech';
