import type { Locator, Page } from 'playwright-core';

/** A picker of the console: a button that opens a list of choices. */
export function picker(page: Page, label: string): Locator {
  return page.getByRole('combobox', { name: label, exact: true });
}

/** The choices of the open picker. */
export function choicesOf(page: Page, label: string): Locator {
  return page.getByRole('listbox', { name: label, exact: true }).getByRole('option');
}

export async function choose(page: Page, label: string, name: string): Promise<void> {
  await picker(page, label).click();
  await choicesOf(page, label).getByText(name, { exact: true }).click();
  await choicesOf(page, label).first().waitFor({ state: 'detached' });
}
