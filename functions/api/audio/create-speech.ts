import { audioRoutes } from '#contract/routes/audio.ts';
import type { SpeechOrder } from '#domain/audio/speech.ts';
import type { OrderOf, PricedOperation } from '#runtime/endpoints/operation.ts';
import { pricedEndpoint } from '#runtime/endpoints/priced-endpoint.ts';

type Route = typeof audioRoutes.createSpeech;

const orderSpeech: OrderOf<Route, SpeechOrder> = async ({ audio }, body, _prove, kind) =>
  (await audio()).speech.order(body, kind);

const createSpeech: PricedOperation<Route, SpeechOrder> = async ({ audio }, { order }) => {
  const { speech } = await audio();
  return order.stream ? speech.stream(order) : speech.whole(order);
};

export const handler = pricedEndpoint(audioRoutes.createSpeech, orderSpeech, createSpeech);
