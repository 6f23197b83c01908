import { FilterCriteria } from 'aws-cdk-lib/aws-lambda';
import { eventPatterns, type TypedAttribute } from '#contract/platform/resources.ts';

/** The filters of an event source for new images with this attribute, as local delivery applies them too. */
export const filtersFor = (attribute: TypedAttribute) =>
  eventPatterns(attribute).map((pattern) => FilterCriteria.filter(pattern));
