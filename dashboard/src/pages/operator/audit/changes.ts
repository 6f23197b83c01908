import { formatCredits } from '../../../lib/format.ts';
import { planTitle } from '../../../lib/names.ts';
import type { AuditEntry } from './audit-entry.ts';

type State = AuditEntry['before'];

/** Fields of a state as people read them, each with its value. */
const fieldsOf = ({ status, plan, subscription, credits, keyId = '', key, role }: State) => [
  ['Status', status],
  ['Plan', plan && planTitle(plan)],
  ['Subscription', subscription],
  ['Credits', credits === undefined ? undefined : formatCredits(credits)],
  [`Key ${keyId.slice(0, 8)}…`, key],
  ['Role', role],
];

/** What an action changed: "Status active → suspended". */
export function changesOf({ before, after }: AuditEntry): string {
  const earlier = fieldsOf(before);
  const changed = fieldsOf(after).flatMap(([title, to], index) => {
    const from = earlier[index]?.[1];
    return from === to ? [] : [`${title} ${from ?? '–'} → ${to ?? '–'}`];
  });
  return changed.length > 0 ? changed.join(', ') : 'No changes';
}
