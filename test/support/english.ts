import { i18n } from '@lingui/core';

/** The page activates its language before it loads its modules. The English messages are in the source. */
i18n.loadAndActivate({ locale: 'en', messages: {} });
