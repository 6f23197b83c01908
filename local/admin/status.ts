import type { DemoAccount } from './demo-account.ts';

/** Answer of `GET /_local/status` (docs/design/local.md); 200 once everything answers, 503 before. */
export interface Status {
  readonly ready: boolean;
  readonly apiUrl: string;
  readonly inferenceUrl: string;
  readonly dashboardUrl: string;
  readonly docsUrl: string;
  /** Null before it is made, and where it could not be. */
  readonly demo: DemoAccount | null;
}

export function statusOf(origin: string, ready: boolean, demo: DemoAccount | null): Status {
  return {
    ready,
    apiUrl: `${origin}/api`,
    inferenceUrl: `${origin}/v1`,
    dashboardUrl: `${origin}/`,
    docsUrl: `${origin}/docs`,
    demo,
  };
}

/** A line that answers when it is pasted into a shell; undefined without a demo account. */
export function curlLine({ inferenceUrl, demo }: Status): string | undefined {
  if (!demo) return undefined;
  const body = '{"model":"svc-1","messages":[{"role":"user","content":"Hello"}]}';
  return `curl -s ${inferenceUrl}/chat/completions -H "Authorization: Bearer ${demo.apiKey}" -H "Content-Type: application/json" -d '${body}'`;
}
