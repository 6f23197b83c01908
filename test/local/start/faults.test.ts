import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { createFaults, FaultOrder } from '#local/shared/faults.ts';

const order = (input: unknown) => v.parse(FaultOrder, input);

describe('faults', () => {
  it('fail the given number of requests to their target, by default one', () => {
    const faults = createFaults();
    faults.order(order({ target: 'ses', fault: 'throttle', count: 2 }));
    faults.order(order({ target: 'sagemaker', fault: 'cut' }));
    expect(faults.take('dynamodb')).toBeUndefined();
    expect([faults.take('ses'), faults.take('ses'), faults.take('ses')]).toEqual(['throttle', 'throttle', undefined]);
    expect([faults.take('sagemaker'), faults.take('sagemaker')]).toEqual(['cut', undefined]);
  });

  it('are replaced by the next one for their target, and cleared by none', () => {
    const faults = createFaults();
    faults.order(order({ target: 'dynamodb', fault: 'throttle', count: 5 }));
    faults.order(order({ target: 'dynamodb', fault: 'lost-reply', count: 3 }));
    faults.order(order({ target: 'sagemaker', fault: 'hang' }));
    faults.take('dynamodb');
    expect(faults.active()).toEqual([
      { target: 'sagemaker', fault: 'hang', count: 1 },
      { target: 'dynamodb', fault: 'lost-reply', count: 2 },
    ]);
    faults.order(order({ target: 'dynamodb', fault: 'none' }));
    expect(faults.take('dynamodb')).toBeUndefined();
    expect(faults.active()).toEqual([{ target: 'sagemaker', fault: 'hang', count: 1 }]);
  });

  it('fail the given share of requests until `count` have failed', () => {
    const draws = [0.1, 0.9, 0.29, 0.3, 0];
    const faults = createFaults(() => draws.shift() ?? 1);
    faults.order(order({ target: 'dynamodb', fault: 'conflict', count: 3, rate: 0.3 }));
    const suffered = Array.from({ length: 6 }, () => faults.take('dynamodb') !== undefined);
    expect(suffered).toEqual([true, false, true, false, true, false]);
    expect(faults.active()).toEqual([]);
  });

  it('wait for a request that they can fail', () => {
    const faults = createFaults();
    faults.order(order({ target: 'dynamodb', fault: 'conflict' }));
    expect(faults.take('dynamodb', () => false)).toBeUndefined();
    expect(faults.active()).toEqual([{ target: 'dynamodb', fault: 'conflict', count: 1 }]);
    expect(faults.take('dynamodb', (fault) => fault === 'conflict')).toBe('conflict');
  });

  it('for one endpoint do not affect the others, and take precedence over a fault for all', () => {
    const faults = createFaults();
    faults.order(order({ target: 'bedrock', fault: 'throttle', endpoint: 'a' }));
    faults.order(order({ target: 'bedrock', fault: 'hang', count: 2 }));
    const take = (endpoint: string) => faults.take('bedrock', undefined, endpoint);
    expect([take('b'), take('a'), take('a'), take('a')]).toEqual(['hang', 'throttle', 'hang', undefined]);
    faults.order(order({ target: 'sagemaker', fault: 'cut', endpoint: 'a', count: 2 }));
    expect(faults.take('sagemaker', undefined, 'b')).toBeUndefined();
    expect(faults.active()).toEqual([{ target: 'sagemaker', fault: 'cut', endpoint: 'a', count: 2 }]);
    faults.order(order({ target: 'sagemaker', fault: 'none', endpoint: 'a' }));
    expect(faults.active()).toEqual([]);
  });

  it.each([
    ['a rate of zero', { target: 'ses', fault: 'reject', rate: 0 }],
    ['a rate above 1', { target: 'ses', fault: 'reject', rate: 1.1 }],
    ['a fault of another target', { target: 'ses', fault: 'hang' }],
    ['an unknown target', { target: 's3', fault: 'throttle' }],
    ['a count of zero', { target: 'ses', fault: 'reject', count: 0 }],
    ['a fractional count', { target: 'ses', fault: 'reject', count: 1.5 }],
    ['a count above 10,000', { target: 'ses', fault: 'reject', count: 10_001 }],
  ])('with %s are refused', (_, input) => {
    expect(v.safeParse(FaultOrder, input).success).toBe(false);
  });
});
