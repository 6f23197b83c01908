import type { ModelTranscript, ModelTranscriptionRequest } from '#domain/audio/transcription-gateway.ts';
import { whisperx } from '../containers/whisperx.ts';
import { maxTranscriptBytes } from '../response-bounds.ts';
import { findServed, type GatewayContext } from '../served-model.ts';
import { readReply } from './whole-reply.ts';

/** What is spoken in a file, as a whole. */
export function transcribe(
  context: GatewayContext,
  model: string,
  request: ModelTranscriptionRequest,
): Promise<ModelTranscript> {
  const { endpoint, component, dialect, servedName } = findServed(
    context,
    model,
    ({ transcription }) => transcription,
    { whisperx },
  );
  const { bytes, contentType } = dialect.body(request, servedName);
  const invoke = context.runtime.reply({ endpoint, component, body: bytes, contentType, maxBytes: maxTranscriptBytes });
  const { deadlineMs } = context.settings;
  return readReply({ model, invoke, parse: dialect.reply, deadlineMs });
}
