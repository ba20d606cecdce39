/**
 * The person whom this tab shows. The cookie belongs to all tabs of the browser and may become another person's at any
 * time, so each call names the person it is meant to come from, and the gateway refuses it for anybody else.
 */
class TabPerson {
  private staffId: string | null = null;

  readonly current = (): string | null => this.staffId;

  become(staffId: string | null): void {
    this.staffId = staffId;
  }
}

export const tabPerson = new TabPerson();
