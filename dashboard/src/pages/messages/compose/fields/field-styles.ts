/** Of a field whose hint stands under it, and its error under that. */
export const spaced = { error: { marginTop: 4 } };
