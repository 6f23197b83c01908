import { expect, it } from 'vitest';
import { readNumber } from '#gateways/phone-numbers.ts';

it('knows the country of a number that can be, and what costs more than a call', () => {
  const numbers: [to: string, expected: ReturnType<typeof readNumber>][] = [
    ['+14155550100', { country: 'US', isCostly: false }],
    ['+16045550100', { country: 'CA', isCostly: false }],
    ['+447400123456', { country: 'GB', isCostly: false }],
    ['+4915112345678', { country: 'DE', isCostly: false }],
    ['+41791234567', { country: 'CH', isCostly: false }],
    // On islands and in countries that share a code.
    ['+447781123456', { country: 'GG', isCostly: false }],
    ['+447624123456', { country: 'IM', isCostly: false }],
    ['+18765551234', { country: 'JM', isCostly: false }],
    ['+77012345678', { country: 'KZ', isCostly: false }],
    // Satellites, and other networks of no country.
    ['+8816512345678', { country: undefined, isCostly: false }],
    ['+870773111632', { country: undefined, isCostly: false }],
    // Premium rate, personal, shared cost, and toll-free: who is called pays.
    ['+18005550100', { country: 'US', isCostly: true }],
    ['+448001111111', { country: 'GB', isCostly: true }],
    ['+19005550100', { country: 'US', isCostly: true }],
    ['+499001234567', { country: 'DE', isCostly: true }],
    ['+447012345678', { country: 'GB', isCostly: true }],
    ['+448431234567', { country: 'GB', isCostly: true }],
    // Too short, too long, no such area, no such country.
    ['+1415555010', undefined],
    ['+141555501000', undefined],
    ['+11155550100', undefined],
    ['+9991234567', undefined],
    ['+4915', undefined],
  ];
  for (const [to, expected] of numbers) expect([to, readNumber(to)]).toEqual([to, expected]);
});
