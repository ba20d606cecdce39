import type { ReactNode } from 'react';
import type { ReviewCounts } from '@offizin/contracts/review';
import { FilterTabs } from '../controls/filter-tabs';
import { type FilterChip, ListHead } from '../controls/list-head';
import { SaveList } from '../shell/save-list';
import { useSession } from '../shell/session.calls';
import { useShopFilter } from '../shell/use-shop-filter';
import { useFormats, useTexts } from '../text/texts';
import { filtersOf, isFiltered, NO_FILTER, REVIEW_SORTS, REVIEW_TABS, type RequestSearch } from './filters';
import { requestFile } from './requests.calls';

interface Props {
  news: ReactNode;
  search: RequestSearch;
  counts: ReviewCounts | undefined;
  /** Two people approve. */
  hasSecondLook: boolean;
  /** Exact, under all filters. */
  total: number | undefined;
  onChange: (change: Partial<RequestSearch>) => void;
}

/** Tabs, search, shop and order of the list; source and flag come from links only. */
export function RequestFilters({ search, counts, hasSecondLook, total, news, onChange }: Props) {
  const { requests: texts, filters } = useTexts();
  const formats = useFormats();
  const { org } = useSession();
  const load = (csvType: string) => requestFile(org.id, filtersOf(search), csvType);
  const shop = useShopFilter(search.shop, (id) => {
    onChange({ shop: id });
  });
  const sort = {
    label: filters.sort,
    choices: REVIEW_SORTS.map((id) => ({ id, name: texts.sorts[id] })),
    chosen: search.sort ?? 'oldest',
    onChoose: (id: string) => {
      onChange({ sort: REVIEW_SORTS.find((known) => known === id && id !== 'oldest') });
    },
  };
  return (
    <ListHead
      title={texts.title}
      count={counts && texts.open(formats.number(counts.open))}
      news={news}
      tabs={
        <FilterTabs
          label={texts.listLabel}
          tabs={REVIEW_TABS.filter((id) => id !== 'second_look' || hasSecondLook).map((id) => ({
            id,
            name: texts.tabs[id],
            count: id === 'second_look' && counts ? formats.number(counts.second_look) : undefined,
          }))}
          chosen={search.tab ?? 'open'}
          onChoose={(tab) => {
            onChange({ tab: tab === 'open' ? undefined : tab });
          }}
        />
      }
      search={{
        ...{ label: texts.search, q: search.q },
        onSearch: (q) => {
          onChange({ q });
        },
      }}
      pickers={[sort, ...shop.pickers]}
      chips={[...shop.chips, ...useLinkChips(search, onChange)]}
      acts={<SaveList title={texts.title} total={total} load={load} />}
      onClear={
        isFiltered(search)
          ? () => {
              onChange(NO_FILTER);
            }
          : null
      }
    />
  );
}

function useLinkChips({ source, flag }: RequestSearch, onChange: Props['onChange']): FilterChip[] {
  const { requests: texts, filters } = useTexts();
  const chips: FilterChip[] = [];
  if (source !== undefined)
    chips.push({
      name: filters.named(texts.source, source),
      onRemove: () => {
        onChange({ source: undefined });
      },
    });
  if (flag !== undefined)
    chips.push({
      name: texts.flag[flag],
      onRemove: () => {
        onChange({ flag: undefined });
      },
    });
  return chips;
}
