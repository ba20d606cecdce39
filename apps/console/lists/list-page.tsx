import type { ReactNode } from 'react';
import { Fault } from '../messages/fault';
import css from './list-page.module.css';

interface Props {
  /** ListHead. */
  head: ReactNode;
  list: {
    isPending: boolean;
    isLoadingError: boolean;
    error: Error | null;
    refetch: () => Promise<unknown>;
  };
  /** Instead of the table; null while it has rows. */
  empty: ReactNode;
  table: ReactNode;
  /** Below the list, such as the acts on selected rows. */
  foot?: ReactNode;
  /** The open object. */
  detail: ReactNode;
}

/** A list. From 1080 px up the open object is beside it; on narrower screens it replaces the list. */
export function ListPage({ head, list, empty, table, foot, detail }: Props) {
  return (
    <div className={css.page} data-open={Boolean(detail)}>
      <section className={css.list}>
        {head}
        {list.isLoadingError && <Fault error={list.error} onAgain={() => void list.refetch()} />}
        {list.isPending && empty === null && <GhostRows />}
        {empty ?? table}
        {foot}
      </section>
      {detail}
    </div>
  );
}

/** In the final height of the rows; they appear after a moment, so that a fast answer does not flicker. */
function GhostRows() {
  return (
    <div className={css.ghosts} aria-hidden>
      {Array.from({ length: 8 }, (_, index) => (
        <div key={index} className={css.ghost} />
      ))}
    </div>
  );
}
