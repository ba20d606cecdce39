import { useQuery } from '@tanstack/react-query';
import type { OrderColumn } from '@offizin/contracts/views';
import { usePreferences } from '../shell/preferences';
import { useSession } from '../shell/session.calls';
import { viewsQuery } from '../views/views.calls';
import { columnsIn } from './order-columns';
import type { OrderSearch } from './order-search';

interface ChosenColumns {
  /** Empty: the usual ones. */
  columns: readonly OrderColumn[];
  /** A view of the person is on the screen, and has the columns. */
  ofView: boolean;
}

/** The columns of the address, else of its view, else of the person. */
export function useOrderColumns({ columns, view: viewId }: OrderSearch): ChosenColumns {
  const { org } = useSession();
  const { order_columns: ofPerson } = usePreferences();
  const { data: views } = useQuery({ ...viewsQuery(org.id, 'orders'), enabled: viewId !== undefined });
  const view = viewId === undefined ? undefined : views?.find(({ id }) => id === viewId);
  return { columns: columnsIn(columns) ?? view?.columns ?? ofPerson, ofView: view !== undefined };
}
