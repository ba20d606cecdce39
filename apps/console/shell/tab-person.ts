/**
 * The person whom this tab shows. All tabs share the cookie, which may become another person's at any time. So each call
 * names its person, and the gateway refuses it for another one (decision 0042).
 */
class TabPerson {
  private staffId: string | null = null;

  readonly current = (): string | null => this.staffId;

  become(staffId: string | null): void {
    this.staffId = staffId;
  }
}

export const tabPerson = new TabPerson();
