import { expect, it } from 'vitest';
import { type Model, models } from '#contract/inference/models.ts';
import { canaryModel } from '#domain/canary/canary.ts';

const modelOf = (id: string, about: Partial<Model> = {}): Model => ({ ...models[0]!, aliases: [], ...about, id });

const retired = { retiredFrom: '2020-01-01' };
const catalog = [
  modelOf('embed', { capabilities: ['embeddings'] }),
  modelOf('old', { ...retired, replacedBy: 'large' }),
  modelOf('large', { minPlanRank: 2, replacedBy: 'small' }),
  modelOf('first'),
  modelOf('small', { aliases: ['tiny'] }),
];

it.each([
  ['small', catalog, 'small'],
  ['tiny', catalog, 'small'],
  ['old', catalog, 'small'],
  ['removed', catalog, 'first'],
  ['embed', catalog, 'first'],
  ['old', catalog.slice(0, 3), ''],
])('a canary with the setting %s chats with a callable model that every plan includes', (named, offered, id) => {
  expect(canaryModel(named, offered)).toBe(id);
});
