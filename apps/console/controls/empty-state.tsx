import type { ReactNode } from 'react';
import { useTexts } from '../text/texts';
import { Button } from './button';
import css from './empty-state.module.css';

interface Props {
  /** None at all, none under this filter, or all done: they say different things. */
  title: string;
  /** One sentence: why there is nothing, and how that changes. */
  hint?: string;
  /** It is all that the page has. */
  isPage?: boolean;
  /** The act that helps, where there is one. */
  children?: ReactNode;
}

export function EmptyState({ title, hint, isPage = false, children }: Props) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className={css.empty}>
      <Title className={css.title}>{title}</Title>
      {hint !== undefined && <p className={css.hint}>{hint}</p>}
      {children}
    </div>
  );
}

interface EmptyListProps {
  title: string;
  /** As that of an EmptyState; filters that hide everything have a shared one. */
  hint?: string;
  /** Takes the filters away that hide everything; null without filters. */
  onClear: (() => void) | null;
  /** Without filters. */
  children?: ReactNode;
}

/** No row fits. */
export function EmptyList({ title, hint, onClear, children }: EmptyListProps) {
  const { filters } = useTexts();
  const shown = onClear ? filters.clearHint : hint;
  return (
    <EmptyState title={title} {...(shown !== undefined && { hint: shown })}>
      {onClear ? <Button onPress={onClear}>{filters.clear}</Button> : children}
    </EmptyState>
  );
}
