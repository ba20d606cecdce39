import { lazy, Suspense } from 'react';
import type { Address, ViewsProps } from './view-state';

const ViewsMenu = lazy(() => import('./views-menu'));

interface Props<Search> extends Pick<ViewsProps, 'screen' | 'address'> {
  /** Left out where a list has fixed columns. */
  columns?: ViewsProps['columns'];
  /** How the screen reads an address. */
  read: (address: Address) => Search;
  go: (search: Search, isStep: boolean) => void;
}

/** The saved views of a list. Loaded after the list: menus are the largest of the controls. */
export function Views<Search>({ screen, address, columns = [], read, go }: Props<Search>) {
  const onShow: ViewsProps['onShow'] = (shown, isStep) => go(read(shown), isStep);
  return (
    <Suspense>
      <ViewsMenu screen={screen} address={address} columns={columns} onShow={onShow} />
    </Suspense>
  );
}
