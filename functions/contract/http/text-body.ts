import * as v from 'valibot';

/** A response that is neither JSON nor audio, of a route whose kinds have `text`. Kept and sent again as any other. */
export const TextBody = v.strictObject({ contentType: v.string(), body: v.string() });
export type TextBody = v.InferOutput<typeof TextBody>;
