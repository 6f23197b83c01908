import { i18n } from '@lingui/core';
import { TransNoContext, type TransProps } from '@lingui/react/server';

const lingui = { i18n, _: i18n.t };

/** Needs no provider and does not follow changes of the language, because they reload the page. */
export const Trans = (props: TransProps) => <TransNoContext {...props} lingui={lingui} />;
