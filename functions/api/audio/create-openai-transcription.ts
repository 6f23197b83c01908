import { audioRoutes } from '#contract/routes/audio.ts';
import { toOpenAiTranscription } from '#domain/audio/openai-transcription.ts';
import type { TranscriptionOrder } from '#domain/audio/transcription.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof audioRoutes.createOpenAiTranscription;

const orderTranscription: OrderOf<Route, TranscriptionOrder> = async (services, body, prove) => {
  await prove();
  const { model, file, language, prompt, temperature, response_format: format } = body;
  const granularities = body['timestamp_granularities[]'] ?? [];
  const words = granularities.includes('word');
  const isVerbose = format === 'verbose_json' && (granularities.length === 0 || granularities.includes('segment'));
  return (await services.audio()).transcription.order({
    model,
    file,
    language,
    prompt,
    temperature,
    segments: isVerbose || format === 'srt' || format === 'vtt',
    words,
  });
};

const createTranscription: PricedOperation<Route, TranscriptionOrder> = async (services, { order, input, setCost }) => {
  const { body, cost } = await (await services.audio()).transcription.transcribe(order);
  setCost(cost);
  return toOpenAiTranscription(body, input.body.response_format);
};

export const handler = pricedEndpoint(audioRoutes.createOpenAiTranscription, orderTranscription, createTranscription);
