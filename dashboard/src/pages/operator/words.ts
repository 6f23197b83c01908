import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** Values of the API that appear as words. */
const words: Readonly<Record<string, MessageDescriptor>> = {
  active: msg`active`,
  suspended: msg`suspended`,
  cancelled: msg`cancelled`,
  none: msg`none`,
  viewer: msg`viewer`,
  operator: msg`operator`,
  required: msg`required`,
  optional: msg`optional`,
  blocked: msg`blocked`,
  open: msg({ message: 'open', comment: 'Emails to an address are sent' }),
};

/** Returns the word for a value of the API, or the value itself if it has none. */
export function wordOf<Value extends string | undefined>(value: Value): Value | string {
  const word = value === undefined ? undefined : words[value];
  return word ? i18n._(word) : value;
}
