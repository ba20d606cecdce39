import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PageHead, type PageHeadProps } from '../../controls/page-head';
import { Fault } from '../../messages/fault';
import css from './settings-page.module.css';

interface PageProps extends PageHeadProps {
  /** Wider than a form: a table, or a list with figures beside its names. */
  isWide?: boolean;
  children: ReactNode;
}

/** Head, then sections. */
export function SettingsPage({ isWide = false, children, ...head }: PageProps) {
  return (
    <div className={css.page} data-wide={isWide}>
      <PageHead {...head} />
      {children}
    </div>
  );
}

export function SettingsSection({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section className={css.section} aria-label={title}>
      {title !== undefined && <h2 className={css.heading}>{title}</h2>}
      {children}
    </section>
  );
}

export function SettingsList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={css.list} aria-label={label}>
      {children}
    </ul>
  );
}

interface RowProps {
  title: ReactNode;
  /** Sentences below the title. */
  lines: readonly ReactNode[];
  /** What rows are compared by: below each other in columns where there is room. */
  facts?: readonly ReactNode[];
  /** What no longer counts is quiet. */
  isOver?: boolean;
  children?: ReactNode;
}

export function SettingsRow({ title, lines, facts = [], isOver = false, children }: RowProps) {
  return (
    <li className={css.row} data-over={isOver}>
      <div className={css.about}>
        <div className={css.name}>{title}</div>
        {lines.map((line, index) => (
          <div key={index} className={css.line}>
            {line}
          </div>
        ))}
      </div>
      {facts.length > 0 && (
        <div className={css.facts}>
          {facts.map((fact, index) => (
            <div key={index}>{fact}</div>
          ))}
        </div>
      )}
      {children}
    </li>
  );
}

const GHOSTS = [1, 2, 3, 4];

interface NotLoadedProps {
  query: Pick<UseQueryResult, 'isPending' | 'isLoadingError' | 'error'> & { refetch: () => Promise<unknown> };
}

/** While what the page shows is loading, and where that has failed. */
export function NotLoaded({ query }: NotLoadedProps) {
  if (query.isLoadingError) return <Fault error={query.error} onAgain={() => void query.refetch()} />;
  if (!query.isPending) return null;
  return (
    <div className={css.ghosts} aria-hidden>
      {GHOSTS.map((index) => (
        <div key={index} className={css.ghost} />
      ))}
    </div>
  );
}
