import type {
  IPolicyValidationContext,
  IPolicyValidationPlugin,
  PolicyValidationPluginReport,
  PolicyViolation,
} from 'aws-cdk-lib';
import type { NagPack } from 'cdk-nag';
import { isAcknowledged } from './nag-acknowledgements.ts';

/** A pack of cdk-nag whose findings stop the synthesis, except those with a reason in nag-acknowledgements.ts. */
export class ReviewedRules implements IPolicyValidationPlugin {
  readonly name: string;
  readonly #pack: NagPack;

  constructor(pack: NagPack) {
    this.name = pack.name;
    this.#pack = pack;
  }

  validate(context: IPolicyValidationContext): PolicyValidationPluginReport {
    const report = this.#pack.validate(context);
    const violations = report.violations
      .map(withoutAcknowledged)
      .filter(({ violatingResources }) => violatingResources.length > 0);
    return { ...report, violations, success: violations.length === 0 };
  }
}

function withoutAcknowledged(violation: PolicyViolation): PolicyViolation {
  const { ruleName, violatingResources } = violation;
  const left = violatingResources.filter(({ constructPath = '' }) => !isAcknowledged(ruleName, constructPath));
  return { ...violation, violatingResources: left };
}
