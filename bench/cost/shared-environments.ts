import { routes } from '#contract/routes.ts';
import { listPrices, platformCost } from './cost.ts';

/**
 * Cost of environments with many calls at a time (`compute`), by list prices of us-east-1: EC2's
 * price with Lambda's fee, for as long as the instances run (AWS "AWS Lambda pricing").
 */
const instance = { type: 'c8g.xlarge', vcpus: 4, usdPerHour: 0.15952 } as const;
const managementFee = 0.15;

/** An environment is one vCPU, whose price does not depend on the instance's size. */
const environmentHour = (instance.usdPerHour / instance.vcpus) * (1 + managementFee);

/** Calls of an environment at the same time: Lambda's default for Node.js. */
const callsPerEnvironment = 64;

/** Share of them that a stage uses, averaged over the day. */
const usualShare = 1 / 3;

/** Default minimum of a function, for three availability zones. */
const minEnvironments = 3;

const hoursPerMonth = 730;

/** A month of a route's minimum of environments, with or without calls. Instances with unused vCPUs cost more. */
export const floorPerMonth = (environments = minEnvironments): number => environments * environmentHour * hoursPerMonth;

/** A call in shared environments of which this share is used. */
export const costOfSharedCall = (seconds: number, share = usualShare): number =>
  listPrices.functionRequest + ((seconds / 3600) * environmentHour) / (callsPerEnvironment * share);

const costOfCall = (seconds: number): number =>
  listPrices.functionRequest + (seconds * routes.createChatCompletion.memoryMb * listPrices.functionGbSecond) / 1024;

/** A million typical chats of 3 s on AWS, without the model. */
export const platformCostShared = (): number => platformCost() + (costOfSharedCall(3) - costOfCall(3)) * 1e6;

/**
 * Rows of docs/deploy.md by the duration of a call: US dollars per million calls in functions and in shared
 * environments, and the calls a month above which the floor of shared environments is worth it.
 */
export function sharedEnvironmentsTable(): string {
  const rows = [1, 3, 10, 60].map((seconds) => {
    const usd = [costOfCall(seconds), costOfSharedCall(seconds, 1), costOfSharedCall(seconds)];
    const worthwhile = floorPerMonth() / (costOfCall(seconds) - listPrices.functionRequest) / 1e6;
    return `| ${[`${seconds} s`, ...usd.map((each) => (each * 1e6).toFixed(2)), `${worthwhile.toFixed(1)} million`].join(' | ')} |`;
  });
  return rows.join('\n');
}
