import { containerError, type Engine } from '../engine.ts';

/** The part of an engine that writes down speech, as WhisperX would be met on /invocations: a form, and JSON in reply. */
export const asWhisperx = (engine: Engine): Engine => ({
  async invoke(form, signal) {
    if (!(form instanceof FormData)) return containerError(400, 'The body must be a form with the part file.');
    if (!(form.get('file') instanceof File)) return containerError(422, 'The form has no part file.');
    return engine.transcribe?.(form, signal) ?? containerError(501, 'This engine recognises no speech.');
  },
});
