/** Why a text ends (docs/specification.md#text-completion-object-data-of-a-completion-response). */
export type EndReason = 'stop' | 'length' | 'content_filter';

/** Containers have more words for a natural end (`eos_token`, `stop_sequence`) than the specification. */
export function endReason(given: string | null | undefined): EndReason {
  return given === 'length' || given === 'content_filter' ? given : 'stop';
}

/** A response that calls a function ended by that, unless it was cut short: then the call may not be whole. */
export function reasonOf<Called extends string>(end: { reason: EndReason; called: boolean }, called: Called) {
  return end.called && end.reason === 'stop' ? called : end.reason;
}
