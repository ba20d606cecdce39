import { lazy, Suspense } from 'react';
import type { ViewsProps } from './view-state';

const ViewsMenu = lazy(() => import('./views-menu'));

interface Props extends Omit<ViewsProps, 'columns'> {
  /** Left out where a list has fixed columns. */
  columns?: ViewsProps['columns'];
}

/** The saved views of a list. Loaded after the list: menus are the largest of the controls. */
export function Views({ columns = [], ...props }: Props) {
  return (
    <Suspense>
      <ViewsMenu {...props} columns={columns} />
    </Suspense>
  );
}
