import { containerError, type EngineReply } from '../sagemaker/engine.ts';
import { countTokens, hash } from '../sagemaker/words.ts';
import { continuousUsage, limitOutput, maxModelLength, overflow, usageOf } from './output.ts';
import type { CompletionBody } from './request.ts';
import { eventStream, pause, type Tempo } from './sse.ts';
import { continuePrompt } from './text/response-text.ts';

/** Carries a prompt on, whole or in pieces. */
export async function complete(body: CompletionBody, tempo: Tempo, signal: AbortSignal): Promise<EngineReply> {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? undefined;
  const prompt = countTokens(body.prompt);
  const tooLong = overflow(prompt, maxTokens, 'prompt');
  if (tooLong) return containerError(400, tooLong);

  const text = continuePrompt(body.prompt, maxTokens);
  const { tokens, finish } = limitOutput(text, maxTokens ?? maxModelLength - prompt, body.stop);
  const usage = usageOf(prompt, tokens.length);
  const about = {
    id: `cmpl-demo-${hash(body.prompt).toString(16).padStart(8, '0')}`,
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model: body.model,
  };
  const choice = (piece: string, reason: string | null) => ({
    index: 0,
    finish_reason: reason,
    logprobs: null,
    text: piece,
  });
  if (body.stream) {
    const usageAfter = continuousUsage(body, prompt);
    const events = {
      head: [],
      tokens: tokens.map((token, index) => ({ ...about, choices: [choice(token, null)], ...usageAfter(index + 1) })),
      tail: [
        { ...about, choices: [choice('', finish)], ...usageAfter(tokens.length) },
        ...(body.stream_options.include_usage ? [{ ...about, choices: [], usage }] : []),
      ],
    };
    return eventStream(events, tempo, signal);
  }
  await pause(tempo.plainMs, signal);
  return { kind: 'json', status: 200, body: { ...about, choices: [choice(tokens.join(''), finish)], usage } };
}
