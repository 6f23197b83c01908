import { audioRoutes } from '#contract/routes/audio.ts';
import type { SpeechOrder } from '#domain/audio/speech.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof audioRoutes.createOpenAiSpeech;

const orderSpeech: OrderOf<Route, SpeechOrder> = async ({ audio }, body) => {
  const { input: text, response_format: format, model, voice, speed } = body;
  return (await audio()).speech.order({ text, format, model, voice, speed }, 'audio');
};

const createSpeech: PricedOperation<Route, SpeechOrder> = async ({ audio }, { order }) =>
  (await audio()).speech.stream(order);

export const handler = pricedEndpoint(audioRoutes.createOpenAiSpeech, orderSpeech, createSpeech);
