/** Part of a job's timeout in which it begins work; the rest is for running work to end. */
const share = 0.8;

/** Aborts when a run should begin no more work, so that Lambda does not cut it off. */
export const workSignal = ({ timeoutSeconds }: { readonly timeoutSeconds: number }): AbortSignal =>
  AbortSignal.timeout(timeoutSeconds * 1000 * share);
