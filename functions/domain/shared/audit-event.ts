import type { AuditAction, AuditedState } from '#contract/operators/operators.ts';

/** What was done to an account, why, and what it changed. `at` in epoch ms; `by` the operator's account, absent for `bin/operator.ts`. */
export interface AuditEvent {
  readonly accountId: number;
  readonly action: AuditAction;
  readonly by?: number;
  readonly reason: string;
  readonly at: number;
  readonly requestId: string;
  readonly before: AuditedState;
  readonly after: AuditedState;
}
