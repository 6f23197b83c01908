import * as v from 'valibot';
import { text } from '../shared/fields.ts';

export const RequestPath = v.object({ requestId: text(64) });

/** `cancelled`: a running stream stops at its next piece. `finished`: it had ended before. */
export const RequestCancellation = v.object({
  requestId: v.string(),
  status: v.picklist(['cancelled', 'finished']),
});
