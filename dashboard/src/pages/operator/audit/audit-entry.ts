import type { InferOutput } from 'valibot';
import type { AuditPage } from '#contract/operators/audit.ts';

export type AuditEntry = InferOutput<typeof AuditPage>['events'][number];
