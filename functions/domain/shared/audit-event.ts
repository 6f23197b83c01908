import type { AuditAction, AuditedState } from '#contract/operators/operators.ts';

/** `at` in epoch ms. `by`: the operator's account; absent for `bin/operator.ts`. */
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
