import type { Engine, EngineReply } from '../engine.ts';
import { eventData, failureIn, refusalIn, vectorsIn } from './openai-reply.ts';

/**
 * LMI: OpenAI's bodies, but errors are `error` and `code`, streams JSON lines without `[DONE]`, the last of them empty;
 * `inputs` are embedded (djl_python/lmi_vllm/vllm_async_service.py, async_utils.py).
 */
export const asLmi = (engine: Engine): Engine => ({
  async invoke(body, signal) {
    const inputs = typeof body === 'object' && body !== null && 'inputs' in body ? body.inputs : undefined;
    const reply = await engine.invoke(inputs === undefined ? body : { input: [inputs].flat() }, signal);
    const refusal = refusalIn(reply);
    if (refusal) return json(refusal.status, { error: refusal.message, code: refusal.status });
    if (reply.kind === 'stream')
      return { kind: 'stream', contentType: 'application/jsonlines', chunks: lines(reply.chunks) };
    return inputs === undefined ? reply : json(200, vectorsIn(reply));
  },
});

const json = (status: number, body: unknown): EngineReply => ({ kind: 'json', status, body });

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const data of eventData(chunks)) {
    const failure = data === '[DONE]' ? undefined : failureIn(JSON.parse(data));
    const line = failure === undefined ? data.replace('[DONE]', '') : JSON.stringify({ error: failure, code: 424 });
    yield Buffer.from(`${line}\n`);
  }
}
