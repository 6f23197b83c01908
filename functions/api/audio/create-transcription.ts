import { audioRoutes } from '#contract/routes/audio.ts';
import type { TranscriptionOrder } from '#domain/audio/transcription.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof audioRoutes.createTranscription;

const orderTranscription: OrderOf<Route, TranscriptionOrder> = async (services, body, prove) => {
  await prove();
  const { language, timestamps } = body;
  const file = 'file' in body ? body.file : { contentType: '', bytes: Buffer.from(body.audio, 'base64') };
  return (await services.audio()).transcription.order({
    model: 'svc-transcribe',
    file,
    language,
    segments: timestamps !== 'none',
    words: timestamps === 'word',
  });
};

const createTranscription: PricedOperation<Route, TranscriptionOrder> = async (services, { order, setCost }) => {
  const { body, cost } = await (await services.audio()).transcription.transcribe(order);
  setCost(cost);
  return body;
};

export const handler = pricedEndpoint(audioRoutes.createTranscription, orderTranscription, createTranscription);
