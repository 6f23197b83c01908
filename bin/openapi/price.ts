import { prices, type ServiceName } from '#contract/billing/prices.ts';

/** Price of a service, such as `1 credit per 1,000 tokens`. */
export function priceOf(service: ServiceName): string {
  const { credits, unit, unitSize, description } = prices[service];
  const per = description.slice(description.indexOf(', ') + 2);
  const many = per.replace('per ', `per ${unitSize.toLocaleString('en')} `).replace(unit, `${unit}s`);
  // "per started 100 words" already includes the size.
  return `${credits} ${credits === 1 ? 'credit' : 'credits'} ${unitSize === 1 || /\d/.test(per) ? per : many}`;
}
