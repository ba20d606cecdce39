import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import type { AssortmentResponse } from '@offizin/contracts/products/assortment';
import type { Shop } from '@offizin/contracts/products/products';
import { type KeyedAct, KeyedButtons } from '../controls/action-bar';
import { Button } from '../controls/button';
import { EmptyList, EmptyState } from '../controls/empty-state';
import { FilterTabs } from '../controls/filter-tabs';
import { ListHead } from '../controls/list-head';
import { ListPage } from '../lists/list-page';
import { News } from '../live/news';
import { useQuietRows } from '../live/use-quiet-rows';
import { type ListAddress, useListAddress } from '../lists/list-address';
import { useListKeys } from '../keyboard/list-keys';
import { SelectionBar, useAskedRows } from '../lists/selection-bar';
import { useSession } from '../session/session.calls';
import { useBlocked } from '../session/use-blocked';
import { type Selecting, useSelection } from '../lists/use-selection';
import { readableProduct } from '../text/product-name';
import { useFormats } from '../text/texts';
import { Views } from '../views/views';
import type { BulkAct } from './bulk-dialog';
import { OpenProduct } from './open-product';
import { filtersOf, type ProductSearch, readProductSearch } from './product-search';
import { type ProductRow, ProductTable } from './product-table';
import { useProductTexts } from './product-texts';
import { productList } from './products.calls';

const AddDialog = lazy(() => import('./add-dialog'));

const route = getRouteApi('/inside/products');

/** The products of one shop, with the layers that each price comes from. The address holds shop, filter and product. */
export default function ProductsPage() {
  const texts = useProductTexts();
  const { shops } = useSession();
  const { shop: asked } = route.useSearch();
  // A shop that there is not leaves the choice, as unknown values leave the address.
  const shop = shops.find(({ shop_id: id }) => id === asked) ?? shops[0];
  return shop ? <OfShop shop={shop} /> : <EmptyState isPage title={texts.noShop} hint={texts.noShopHint} />;
}

type ShopOfSession = Pick<Shop, 'shop_id' | 'name'>;

function OfShop({ shop }: { shop: ShopOfSession }) {
  const texts = useProductTexts();
  const address = useListAddress(route.useSearch(), route.useNavigate(), { q: undefined });
  const { search, open } = address;
  const [isAdding, setAdding] = useState(false);
  const filters = filtersOf(search);
  const list = useInfiniteQuery(productList(shop.shop_id, filters));
  const first = list.data?.pages[0];
  const all = useMemo(
    () =>
      (list.data?.pages ?? []).flatMap(({ data }) =>
        data.map((row) => ({ ...readableProduct(row), id: row.p1_id })),
      ),
    [list.data],
  );
  const { rows, waiting, showAll } = useQuietRows(JSON.stringify([shop.shop_id, filters]), all);
  const selectedId = useListKeys(rows, search.id, open, texts);
  // Of the pharmacy and not of one shop: what is selected in one shop can be attached to another.
  const selecting = useSelection(rows, {
    screen: 'products',
    cursorId: selectedId,
    isLoaded: list.isSuccess && !list.isPlaceholderData,
    one: texts.select.one,
  });
  const isEmpty = list.isSuccess && rows.length === 0;
  const isNew = isEmpty && address.onClear === null && search.attached === undefined;
  const add = <AddButton onAdd={() => setAdding(true)} />;
  const news = <News count={waiting} name={texts.news(waiting)} does={texts.showNews} onShow={showAll} />;
  return (
    <>
      <ListPage
        head={
          <Head address={address} shop={shop} totals={first} news={news}>
            {!isNew && add}
          </Head>
        }
        list={list}
        empty={isEmpty ? <Empty {...address}>{add}</Empty> : null}
        table={
          <ProductTable
            rows={rows}
            selectedId={selectedId}
            selecting={selecting}
            total={first ? countOf(search, first) : 0}
            list={list}
            onOpen={open}
          />
        }
        foot={
          selecting.selection.size > 0 && (
            <ProductBar selecting={selecting} shop={shop} hasKeys={search.id === undefined} />
          )
        }
        detail={
          search.id !== undefined && (
            <OpenProduct
              key={`${shop.shop_id} ${search.id}`}
              id={search.id}
              shop={shop}
              onClose={() => open(undefined)}
            />
          )
        }
      />
      <Suspense>{isAdding && <AddDialog onAdded={open} onClose={() => setAdding(false)} />}</Suspense>
    </>
  );
}

function countOf({ attached }: ProductSearch, { total, attached_total: inShop }: AssortmentResponse): number {
  if (attached === undefined) return total;
  return attached === 'true' ? inShop : total - inShop;
}

function AddButton({ onAdd }: { onAdd: () => void }) {
  const texts = useProductTexts();
  const mayAdd = useSession().scopes.includes('products.write');
  const blocked = useBlocked('products.write', texts);
  const adding: KeyedAct = { keys: 'n', does: texts.add, kind: 'main', can: blocked === null, run: onAdd };
  return <KeyedButtons acts={mayAdd ? [adding] : []} />;
}

interface HeadProps {
  address: ListAddress<ProductSearch>;
  shop: ShopOfSession;
  totals: AssortmentResponse | undefined;
  news: ReactNode;
  children: ReactNode;
}

function Head({ address, shop, totals, news, children }: HeadProps) {
  const { search, show, go, onClear } = address;
  const texts = useProductTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const count = (attached?: 'true' | 'false') =>
    totals && formats.number(countOf(attached ? { attached } : {}, totals));
  return (
    <ListHead
      title={texts.title}
      about={texts.about}
      count={totals && texts.total(totals.total, formats.number(totals.total))}
      views={<Views screen="products" address={{ ...search }} read={readProductSearch} go={go} />}
      news={news}
      act={children}
      tabs={
        <FilterTabs
          label={texts.tabs}
          tabs={[
            { id: '' as const, name: texts.all, count: count() },
            { id: 'true' as const, name: texts.attached, count: count('true') },
            { id: 'false' as const, name: texts.detached, count: count('false') },
          ]}
          chosen={search.attached ?? ''}
          onChoose={(id) => show({ attached: id === '' ? undefined : id })}
        />
      }
      search={{
        label: texts.search,
        q: search.q,
        whileTyping: true,
        onSearch: (q) => show({ q, id: search.id }),
      }}
      pickers={
        shops.length > 1
          ? [
              {
                label: texts.shop,
                choices: shops.map(({ shop_id: id, name }) => ({ id, name })),
                chosen: shop.shop_id,
                onChoose: (id) => show({ shop: id }),
              },
            ]
          : []
      }
      chips={[]}
      onClear={onClear}
    />
  );
}

interface EmptyProps extends Pick<ListAddress<ProductSearch>, 'search' | 'show' | 'onClear'> {
  /** Adds a product. */
  children: ReactNode;
}

/** Three empty states: none at all, none under this filter, none in or out of the shop. */
function Empty({ search: { attached }, show, onClear, children }: EmptyProps) {
  const texts = useProductTexts();
  if (onClear) return <EmptyList title={texts.emptyFiltered} onClear={onClear} />;
  if (attached === undefined)
    return (
      <EmptyState title={texts.emptyNone} hint={texts.emptyNoneHint}>
        {children}
      </EmptyState>
    );
  const [title, hint] = {
    true: [texts.emptyAttached, texts.emptyAttachedHint] as const,
    false: [texts.emptyDetached, texts.emptyDetachedHint] as const,
  }[attached];
  return (
    <EmptyState title={title} hint={hint}>
      <Button onPress={() => show({ attached: undefined })}>{texts.showAll}</Button>
    </EmptyState>
  );
}

const BulkDialog = lazy(() => import('./bulk-dialog'));

interface Props {
  selecting: Selecting<ProductRow>;
  shop: Pick<Shop, 'shop_id' | 'name'>;
  /** An open product owns the keys of these acts. */
  hasKeys: boolean;
}

/** What can be done with the selected products together. */
function ProductBar({ selecting, shop, hasKeys }: Props) {
  const texts = useProductTexts();
  const { asked, blocked: blockedNow, ask, done } = useAskedRows(selecting, texts);
  const blocked = useBlocked('products.write', texts) ?? blockedNow;
  const [act, setAct] = useState<BulkAct>('attach');
  const begin = (chosen: BulkAct) => () => {
    setAct(chosen);
    ask();
  };
  const can = blocked === null;
  const acts: KeyedAct[] = [
    { keys: 'a', does: texts.attach, kind: 'main', can, run: begin('attach') },
    { keys: 'd', does: texts.detach, kind: 'danger', can, run: begin('detach') },
  ];
  return (
    <>
      <SelectionBar
        selecting={selecting}
        texts={texts.select}
        blocked={blocked}
        acts={acts}
        hasKeys={hasKeys}
      />
      <Suspense>{asked && <BulkDialog rows={asked} act={act} shop={shop} onClose={done} />}</Suspense>
    </>
  );
}
