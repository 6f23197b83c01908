import { unknownRoute } from '#runtime/unknown-route.ts';

export const handler = unknownRoute();
