import * as v from 'valibot';

export const PlanList = v.object({
  plans: v.array(
    v.object({
      id: v.number(),
      name: v.string(),
      price: v.nullable(v.number()),
      quota_limit: v.nullable(v.number()),
      rate_limit: v.nullable(v.number()),
    }),
  ),
});
