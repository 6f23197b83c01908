import { unknownRoute } from '#runtime/http/unknown-route.ts';

export const handler = unknownRoute();
