import type { Container } from './container.ts';

/**
 * vLLM-Omni: OpenAI's requests for speech, and the bytes of the file as its reply. One container serves several APIs, and the
 * attribute chooses among them (AWS "vLLM-Omni SageMaker", `CustomAttributes`).
 */
export const omni: Container = {
  speech: {
    attributes: 'route=/v1/audio/speech',
    body: (request, servedName) => ({ model: servedName, ...request }),
  },
};
