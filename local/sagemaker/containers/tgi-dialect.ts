import * as v from 'valibot';
import type { Engine, EngineReply } from '../engine.ts';
import { refusalIn } from './openai-reply.ts';
import { askChat, TgiChatBody } from './tgi-chat-dialect.ts';
import { inTgiWords, invalid, tgiError } from './tgi-errors.ts';
import { askGenerate, TgiGenerateBody } from './tgi-generate-dialect.ts';

const Request = v.union([TgiGenerateBody, TgiChatBody]);
const unfitting =
  'Failed to deserialize the JSON body into the target type: data did not match any variant of untagged enum SagemakerRequest';

/**
 * TGI: the first of its request types that a body fits decides, `inputs` or `messages`; its limits on sampling; stop
 * sequences that are part of the text and seen only at the end of a token (router/src/sagemaker.rs, validation.rs,
 * server/text_generation_server/utils/tokens.py). Errors of a stream are in the stream, whose status is 200 by then.
 */
export const asTgi = (engine: Engine): Engine => ({
  async invoke(body, signal) {
    const parsed = v.safeParse(Request, body);
    if (!parsed.success) return { kind: 'json', status: 422, body: unfitting };
    const request = parsed.output;
    const problem = invalid('inputs' in request ? request.parameters : request);
    if (problem) return streamedIf(request.stream, tgiError(422, `Input validation error: ${problem}`, 'validation'));
    const reply =
      'inputs' in request ? await askGenerate(engine, request, signal) : await askChat(engine, request, signal);
    const refusal = refusalIn(reply);
    return refusal ? streamedIf(request.stream, inTgiWords(refusal)) : reply;
  },
});

function streamedIf(streams: boolean, error: EngineReply & { kind: 'json' }): EngineReply {
  if (!streams) return error;
  return { kind: 'stream', contentType: 'text/event-stream', chunks: only(`data:${JSON.stringify(error.body)}\n\n`) };
}

async function* only(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
