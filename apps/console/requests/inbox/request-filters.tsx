import type { ReactNode } from 'react';
import type { ReviewCounts } from '@offizin/contracts/requests/review';
import { FilterTabs } from '../../controls/filter-tabs';
import { type FilterChip, ListHead } from '../../controls/list-head';
import type { Choice } from '../../controls/picker';
import { SaveList } from '../../lists/save-list';
import { useSession } from '../../session/session.calls';
import { useShopFilter } from '../../lists/list-filters';
import { useFormats, useTexts } from '../../text/texts';
import { Views } from '../../views/views';
import { filtersOf, isFiltered, NO_FILTER, readSearch, REVIEW_SORTS, REVIEW_TABS } from '../review/filters';
import type { RequestSearch } from '../review/filters';
import { requestFile } from '../review/requests.calls';

interface Props {
  news: ReactNode;
  search: RequestSearch;
  counts: ReviewCounts | undefined;
  /** Two people approve. */
  hasSecondLook: boolean;
  onChange: (change: Partial<RequestSearch>) => void;
  onShow: (search: RequestSearch, isStep: boolean) => void;
}

/** Tabs, search, shop and order of the list; source and flag come from links only. */
export function RequestFilters(props: Props) {
  const { search, counts, hasSecondLook, news, onChange, onShow } = props;
  const { requests: texts } = useTexts();
  const formats = useFormats();
  const { org } = useSession();
  const load = (csvType: string) => requestFile(org.id, filtersOf(search), csvType);
  const shop = useShopFilter(search.shop, (id) => {
    onChange({ shop: id });
  });
  const sort = useSort(search.sort, onChange);
  return (
    <ListHead
      title={texts.title}
      count={counts && texts.open(formats.number(counts.open))}
      views={
        <Views
          screen="requests"
          address={{ ...search }}
          onShow={(address, isStep) => onShow(readSearch(address), isStep)}
        />
      }
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
        label: texts.search,
        q: search.q,
        onSearch: (q) => {
          onChange({ q });
        },
      }}
      pickers={[sort, ...shop.pickers]}
      chips={[...shop.chips, ...useLinkChips(search, onChange)]}
      acts={<SaveList title={texts.title} load={load} />}
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

function useSort(sort: RequestSearch['sort'], onChange: Props['onChange']): Choice {
  const { requests: texts, filters } = useTexts();
  return {
    label: filters.sort,
    choices: REVIEW_SORTS.map((id) => ({ id, name: texts.sorts[id] })),
    chosen: sort ?? 'oldest',
    onChoose: (id: string) => {
      onChange({ sort: REVIEW_SORTS.find((known) => known === id && id !== 'oldest') });
    },
  };
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
