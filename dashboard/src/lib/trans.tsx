import { i18n } from '@lingui/core';
import { TransNoContext, type TransProps } from '@lingui/react/server';

const lingui = { i18n, _: i18n.t };

/** Values as elements, in which Lingui looks for no tags: a person may have the name “<b>”. */
const asText = (values: TransProps['values']) =>
  values &&
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && value.includes('<') ? <>{value}</> : value,
    ]),
  );

/** Needs no provider and does not follow changes of the language, because they reload the page. */
export const Trans = ({ values, ...props }: TransProps) => (
  <TransNoContext {...props} {...(values && { values: asText(values) ?? {} })} lingui={lingui} />
);
