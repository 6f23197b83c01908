import { freePlanRank } from '#contract/billing/plans.ts';
import { Modal } from '../../../components/overlays/modal.tsx';
import { planTitle } from '../../../lib/names.ts';
import type { Plan } from '../plan.ts';
import { Downgrade } from './downgrade.tsx';
import { SubscribeAgain } from './subscribe-again.tsx';
import { rollOver, Subscribe } from './subscribe.tsx';
import { Upgrade } from './upgrade.tsx';

interface ChangeDialogProps {
  readonly plan: Plan;
  /** The active plan; undefined without one. */
  readonly from: Plan | undefined;
  /** A cancelled subscription is there, whose month may still run. */
  readonly isAgain: boolean;
  readonly billedOn: string | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** What the change comes to, before it is done. */
export function ChangeDialog({ plan, from, isAgain, billedOn, isOpen, onClose }: ChangeDialogProps) {
  const title = planTitle(plan.name);
  const verb = from ? (plan.id > from.id ? 'Upgrade' : 'Downgrade') : 'Subscribe';
  const isRollOver = !from && !isAgain && plan.id === freePlanRank;
  return (
    <Modal opened={isOpen} onClose={onClose} title={isRollOver ? rollOver : `${verb} to ${title}`}>
      {!from &&
        (isAgain ? <SubscribeAgain plan={plan} onDone={onClose} /> : <Subscribe plan={plan} onDone={onClose} />)}
      {from && plan.id > from.id && <Upgrade plan={plan} onDone={onClose} />}
      {from && plan.id < from.id && <Downgrade plan={plan} from={from} billedOn={billedOn ?? ''} onDone={onClose} />}
    </Modal>
  );
}
