import { useCallback } from 'react';
import { isFiltered } from './address';

interface Step<Search> {
  search: (before: Search) => Search;
  replace?: boolean;
}

export interface ListAddress<Search> {
  search: Search;
  /** `replace`: without a step, as by j and k. */
  open: (id: string | undefined, replace?: boolean) => void;
  show: (change: Partial<Search>) => void;
  /** Another address as a whole, such as that of a saved view. */
  go: (search: Search, isStep: boolean) => void;
  /** Takes the filters away; null without filters. */
  onClear: (() => void) | null;
}

/** The address of a list, which holds its filters and the open object. Opening adds a step for "back"; a filter adds none. */
export function useListAddress<Search extends { id?: string }>(
  search: Search,
  navigate: (step: Step<Search>) => Promise<void>,
  /** The change that takes all filters away. */
  none: Partial<Search>,
): ListAddress<Search> {
  const open = useCallback(
    (id: string | undefined, replace = false) =>
      void navigate({ search: (before) => ({ ...before, id }), replace }),
    [navigate],
  );
  const show = (change: Partial<Search>) =>
    void navigate({ search: (before) => ({ ...before, id: undefined, ...change }), replace: true });
  const go = (wanted: Search, isStep: boolean) => void navigate({ search: () => wanted, replace: !isStep });
  const onClear = isFiltered(search, none) ? () => show(none) : null;
  return { search, open, show, go, onClear };
}
