import * as v from 'valibot';
import { valuesOf } from './attributes.ts';
import type { ItemOutput } from './items.ts';

/** Types of attributes, each with a value (AWS "AttributeValue"). */
const Attributes = v.record(v.string(), v.record(v.string(), v.unknown()));
const Output = v.object({
  Item: v.optional(Attributes),
  Items: v.optional(v.array(Attributes)),
  LastEvaluatedKey: v.optional(Attributes),
});

/** The items of a response's body, as DynamoDB's protocol has them. Throws ValiError on another form. */
export function outputOf(body: string): ItemOutput {
  const { Item, Items, LastEvaluatedKey } = v.parse(Output, JSON.parse(body));
  return {
    ...(Item && { Item: valuesOf(Item) }),
    ...(Items && { Items: Items.map(valuesOf) }),
    ...(LastEvaluatedKey && { LastEvaluatedKey: valuesOf(LastEvaluatedKey) }),
  };
}
