import type { Page } from 'playwright-core';

export const recipient = (page: Page) => page.getByLabel('Recipient');
export const textOf = (page: Page) => page.getByLabel('Text', { exact: true });
