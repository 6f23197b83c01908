/** Share of the timeout in which a job starts new work. The rest lets running work finish. */
const share = 0.8;

/** Aborts when a job should stop starting new work, before Lambda times out. */
export const workSignal = ({ timeoutSeconds }: { readonly timeoutSeconds: number }): AbortSignal =>
  AbortSignal.timeout(timeoutSeconds * 1000 * share);
