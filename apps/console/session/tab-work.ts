import { keepLeft, type LeftBehind } from './left-behind';
import { tabPerson } from '../calls/api';

/** What of a screen is not at the server yet. */
export interface Work {
  /** Sends it; resolves with whether the server has taken all of it. */
  finish: () => Promise<boolean>;
  /** The page goes: sends it once more, and returns it. */
  leave: () => Omit<LeftBehind, 'staffId'>[];
  /** The server does not answer, and something is sent again and again. */
  isRepeating: () => boolean;
}

/** The decisions of all screens of this tab: a person may be on another page when one of them is sent. */
class TabWork {
  private readonly works: Work[] = [];

  constructor() {
    window.addEventListener('pagehide', this.leave);
    window.addEventListener('beforeunload', (event) => {
      if (this.works.some((work) => work.isRepeating())) event.preventDefault();
    });
  }

  add(work: Work): void {
    this.works.push(work);
  }

  async finish(): Promise<boolean> {
    const finished = await Promise.all(this.works.map((work) => work.finish()));
    return !finished.includes(false);
  }

  private readonly leave = (): void => {
    const staffId = tabPerson.current();
    const left = this.works.flatMap((work) => work.leave());
    if (staffId !== null)
      keepLeft(
        sessionStorage,
        left.map((each) => ({ ...each, staffId })),
      );
  };
}

export const tabWork = new TabWork();
