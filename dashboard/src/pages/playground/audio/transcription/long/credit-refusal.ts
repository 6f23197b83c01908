import { ApiError } from '../../../../../api/http/api-error.ts';
import { creditCount, formatCredits, formatWhole, isUnlimited } from '../../../../../lib/format.ts';
import { transcriptionCredits } from '../../price.ts';

/**
 * What the service would refuse a file with once it has come, where the balance, in whole credits and rounded down, surely
 * does not pay it; undefined where it may. `seconds` are those that the browser finds, if it does.
 */
export function creditRefusal(balance: number, seconds: number | undefined): ApiError | undefined {
  if (isUnlimited(balance)) return undefined;
  const cost = seconds === undefined ? undefined : transcriptionCredits(seconds);
  const isEnough = cost === undefined ? balance > 0 : cost < balance + 1;
  if (isEnough) return undefined;
  const needs = cost === undefined ? 'credits' : `up to ${creditCount(cost, formatCredits)}`;
  const sentence = `This call needs ${needs}; you have ${formatWhole(balance)} left. Upgrade the plan or wait for the next month.`;
  return new ApiError('INSUFFICIENT_CREDITS', sentence, { status: 402 });
}
