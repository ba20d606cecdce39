import type { ReactNode } from 'react';
import { useTexts } from '../text/texts';
import { Button } from './button';
import css from './empty-state.module.css';

interface Props {
  /** None at all, none under this filter, or all done: they say different things. */
  title: string;
  /** It is all that the page has. */
  isPage?: boolean;
  children?: ReactNode;
}

export function EmptyState({ title, isPage = false, children }: Props) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className={css.empty}>
      <Title className={css.title}>{title}</Title>
      {children}
    </div>
  );
}

interface EmptyListProps {
  title: string;
  /** Takes the filters away that hide everything; null without filters. */
  onClear: (() => void) | null;
}

/** No row fits. */
export function EmptyList({ title, onClear }: EmptyListProps) {
  const { filters } = useTexts();
  return (
    <EmptyState title={title}>{onClear && <Button onPress={onClear}>{filters.clear}</Button>}</EmptyState>
  );
}
