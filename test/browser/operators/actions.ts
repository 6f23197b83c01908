import type { Page } from 'playwright-core';
import { services } from '#runtime/services/container.ts';
import type { Person } from '#test/service/service.ts';
import { press, service } from '../stage.ts';

export async function newOperator(): Promise<Person> {
  const person = await service.person();
  await (await services().operators()).actions().setRole(person.email, 'operator');
  return person;
}

/** Fills in the dialog that a button opens, and confirms it. */
export async function act(page: Page, opener: string, action: string, values: Record<string, string>): Promise<void> {
  await press(page, opener);
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(values)) await dialog.getByLabel(label).fill(value);
  await dialog.getByRole('button', { name: action }).click();
}
