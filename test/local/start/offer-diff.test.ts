import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadOffer } from '#lib/offer.ts';
import { removeFolder, testFolder } from '#test/folder.ts';
import { runCommand } from '#test/run-command.ts';

const logo = (color: string) => `<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0h9v9" fill="${color}"/></svg>`;
const plans = [
  { name: 'free', priceUsd: 0, creditsPerMonth: 50, callsPerMinute: 60, maxConcurrentCalls: 5 },
  { name: 'team', priceUsd: 20, creditsPerMonth: 2500, callsPerMinute: 600, maxConcurrentCalls: 50 },
  { name: 'large', priceUsd: 90, creditsPerMonth: 9000, callsPerMinute: 600, maxConcurrentCalls: 50 },
];
const [free, team, large] = plans;
const product = { name: 'Acme AI', logo: 'one.svg', links: { terms: 'https://acme.example/terms' } };
const before = { version: 1, product, plans, packs: [{ id: 'small', credits: 1000, priceUsd: 10 }] };

let folder: string;
beforeAll(async () => {
  folder = await testFolder();
  for (const [name, color] of [
    ['one', '#000000'],
    ['two', '#ffffff'],
  ] as const)
    await writeFile(join(folder, `${name}.svg`), logo(color));
});
afterAll(() => removeFolder(folder));

it.each<[what: string, after: object, lines: (string | RegExp)[]]>([
  ['no change', {}, ['Customers notice no change.']],
  [
    'other terms of a plan, packs and product',
    {
      plans: [free, { ...team, priceUsd: 25, features: ['webhooks'] }, large],
      packs: [],
      product: {
        ...product,
        name: 'Acme',
        logo: 'two.svg',
        accent: '#0a5c7a',
        supportEmail: 'a@acme.example',
        termsVersion: 2,
        links: {},
      },
    },
    [
      'pack small: removed',
      'product: name Acme AI becomes Acme',
      'product: support email none becomes a@acme.example',
      'product: color the default becomes #0a5c7a',
      /^product: logo \w{12} becomes \w{12}$/,
      'product: link to terms https://acme.example/terms becomes none',
      'product: version of the terms 1 becomes 2',
      'plan team: price 20.00 USD becomes 25.00 USD',
      'plan team: features none becomes webhooks',
      'Subscriptions keep the terms at which they were bought.',
    ],
  ],
  [
    'a plan that ends',
    { plans: [free, { ...team, endsOn: '2027-06-30', replacedBy: 'large' }, large] },
    [
      'plan team: sold yes becomes no',
      'plan team: last day none becomes 2027-06-30, then large',
      'Subscriptions keep the terms at which they were bought.',
    ],
  ],
])('node bin/offer.ts diff prints %s', async (_, after, lines) => {
  const [old, next] = [join(folder, 'old.json'), join(folder, 'next.json')];
  await writeFile(old, JSON.stringify(before));
  await writeFile(next, JSON.stringify({ ...before, ...after }));
  const { status, out } = await runCommand('bin/offer.ts', ['diff', old, next], {});
  expect(status).toBe(0);
  const printed = out.trimEnd().split('\n');
  expect(printed).toEqual(lines.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))));
});

it.each<[what: string, change: object, fault: string]>([
  ['a plan that ends without a replacement', { endsOn: '2027-06-30' }, 'plans[1].replacedBy is required'],
  ['a replacement without a last day', { replacedBy: 'large' }, 'plans[1].endsOn is required'],
  [
    'a replacement that is no plan',
    { endsOn: '2027-06-30', replacedBy: 'other' },
    'plans[1].replacedBy must be the name of a plan that does not end',
  ],
  [
    'a plan that replaces itself',
    { endsOn: '2027-06-30', replacedBy: 'team' },
    'plans[1].replacedBy must be the name of a plan that does not end',
  ],
])('an offer is refused with %s', async (_, change, fault) => {
  const file = join(folder, 'ends.json');
  await writeFile(file, JSON.stringify({ ...before, plans: [free, { ...team, ...change }, large] }));
  expect(() => loadOffer(file, { isLocal: false })).toThrow(fault);
});
