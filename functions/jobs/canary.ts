import { runCanary } from '#runtime/jobs/canary.ts';

export const walkCanary = () => (): Promise<void> => runCanary();
