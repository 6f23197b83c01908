import type { DemoAccount } from './demo-account.ts';

/** Response of `GET /_local/status` (docs/architecture.md#on-one-machine); 200 once the service is ready, 503 before. */
export interface Status {
  readonly ready: boolean;
  readonly apiUrl: string;
  readonly inferenceUrl: string;
  readonly dashboardUrl: string;
  readonly docsUrl: string;
  /** Null before it is made, and where it could not be. */
  readonly demo: DemoAccount | null;
  /** By queue: messages that its job gave up on after all tries. */
  readonly parked: Readonly<Record<string, number>>;
}

type Changing = Pick<Status, 'ready' | 'demo' | 'parked'>;

export function statusOf(origin: string, changing: Changing): Status {
  return {
    ...changing,
    apiUrl: `${origin}/api`,
    inferenceUrl: `${origin}/v1`,
    dashboardUrl: `${origin}/`,
    docsUrl: `${origin}/docs`,
  };
}

/** A command line for a first call, to paste into a shell; undefined without a demo account. */
export function curlLine({ inferenceUrl, demo }: Status): string | undefined {
  if (!demo) return undefined;
  const body = '{"model":"svc-1","messages":[{"role":"user","content":"Hello"}]}';
  return `curl -s ${inferenceUrl}/chat/completions -H "Authorization: Bearer ${demo.apiKey}" -H "Content-Type: application/json" -d '${body}'`;
}
