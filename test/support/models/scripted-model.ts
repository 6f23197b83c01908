import type { ContainerFamily } from '#contract/offer/offer.ts';
import type { Engine } from '#local/sagemaker/engine.ts';
import { startSageMaker } from '#local/sagemaker/server.ts';
import { createFaults } from '#local/shared/faults.ts';

/** A step of a scripted stream: an event to send, a promise to await, or the end of the connection. */
export type Step = object | string | (() => Promise<unknown>) | Error;

/** SageMaker with a scripted model behind every endpoint, in the format of the endpoint's family. */
export async function startScriptedModel(families: Readonly<Record<string, ContainerFamily>>) {
  const state = { engine: refusing, invocations: 0, ended: Promise.withResolvers<number>() };
  const faults = createFaults();
  const engine: Engine = {
    invoke(body, signal) {
      state.invocations += 1;
      // Not the promise of a later call, because a connection may be reported as closed late.
      const { ended } = state;
      signal.addEventListener('abort', () => ended.resolve(performance.now()));
      return state.engine.invoke(body, signal);
    },
  };
  const server = await startSageMaker({ engine, faults, endpoints: new Map(Object.entries(families)) });

  function becomes(next: Engine): void {
    state.engine = next;
    state.ended = Promise.withResolvers();
  }

  return {
    ...server,
    faults,
    becomes,
    responds: (body: unknown, status = 200) => becomes({ invoke: async () => ({ kind: 'json', status, body }) }),
    streams: (steps: Iterable<Step>) =>
      becomes({
        invoke: async () => ({ kind: 'stream', contentType: 'text/event-stream', chunks: bytes(steps) }),
      }),
    invocations: () => state.invocations,
    /** Resolves with the time (performance.now) at which the caller of the running call disconnected. */
    ended: () => state.ended.promise,
  };
}

const refusing: Engine = { invoke: () => Promise.reject(new Error('the test has not set a response')) };

async function* bytes(steps: Iterable<Step>): AsyncGenerator<Uint8Array> {
  for (const step of steps) {
    if (step instanceof Error) throw step;
    if (typeof step === 'function') await step();
    else yield Buffer.from(typeof step === 'string' ? step : `data: ${JSON.stringify(step)}\n\n`);
  }
}

export const done = 'data: [DONE]\n\n';
