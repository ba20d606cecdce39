import type { Locator, Page } from 'playwright-core';
import type { Screen } from '@offizin/testkit/browser/screen';

/** A screen with a table and an open object beside it, as a person sees it in German. */
export class ListScreen {
  readonly page: Page;
  readonly table: Locator;
  readonly detail: Locator;
  readonly dialog: Locator;

  constructor(
    readonly screen: Screen,
    { list, object }: { list: string; object: string },
  ) {
    this.page = screen.page;
    this.table = this.page.getByRole('grid', { name: list });
    this.detail = this.page.getByRole('region', { name: object, exact: true });
    this.dialog = this.page.getByRole('dialog');
  }

  row(text: string): Locator {
    return this.table.getByRole('row').filter({ hasText: text });
  }

  message(text: string | RegExp): Locator {
    return this.page.getByRole('region', { name: 'Meldungen' }).getByText(text);
  }

  async untilOpen(title: string): Promise<void> {
    await this.detail.getByRole('heading', { level: 1, name: title }).waitFor();
  }

  /** Into the field that a key has just opened; it gets the focus after it is seen. */
  async type(text: string): Promise<void> {
    await this.page.locator('input:focus, textarea:focus').waitFor();
    await this.page.keyboard.type(text);
  }

  async press(...keys: string[]): Promise<void> {
    await this.screen.press(...keys);
  }
}
