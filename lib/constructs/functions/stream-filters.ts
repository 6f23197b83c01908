import { FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';

/**
 * `exists` matches leaves of the record's JSON only, so each filter goes down to where DynamoDB keeps a value. One that
 * passes is enough: a text, or a list, whose leaf is in its elements (a ledger entry always has its type, `t`).
 */
export function filtersFor(attribute: string) {
  const exists = FilterRule.exists();
  const shapes = [{ S: exists }, { L: exists }, { L: { M: { t: { S: exists } } } }];
  return shapes.map((shape) => FilterCriteria.filter({ dynamodb: { NewImage: { [attribute]: shape } } }));
}
