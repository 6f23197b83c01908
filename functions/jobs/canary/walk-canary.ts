import { runCanary } from '#runtime/jobs/canary.ts';

export const handler = (): Promise<void> => runCanary();
