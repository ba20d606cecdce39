import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense } from 'react';
import type { ReviewCounts, ReviewRow } from '@offizin/contracts/requests/review';
import { FilterTabs } from '../../controls/filter-tabs';
import { ListHead, type ListHeadProps } from '../../controls/list-head';
import { type Choice, type Filter, filterPicker } from '../../controls/picker';
import { useSession } from '../../session/session.calls';
import { isFiltered } from '../../lists/address';
import { useShopFilter } from '../../lists/list-filters';
import { readableName } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { Views } from '../../views/views';
import {
  filtersOf,
  NO_FILTER,
  readSearch,
  type RequestSearch,
  REVIEW_FLAGS,
  REVIEW_OUTCOMES,
  REVIEW_SORTS,
  REVIEW_TABS,
  usualSort,
} from '../review/filters';
import { requestFile, reviewPeople } from '../review/requests.calls';

/** Loaded after the list, as its views are. */
const SaveList = lazy(async () => ({ default: (await import('../../lists/save-list')).SaveList }));

interface Props {
  news: ReactNode;
  search: RequestSearch;
  counts: ReviewCounts | undefined;
  /** What is loaded; its sources are the choice. */
  rows: readonly ReviewRow[];
  /** The bar of the selection then offers the file. */
  hasSelection: boolean;
  /** Two people approve. */
  hasSecondLook: boolean;
  onChange: (change: Partial<RequestSearch>) => void;
  onShow: (search: RequestSearch, isStep: boolean) => void;
}

/** Tabs, search, filters and order of the list. */
export function RequestFilters(props: Props) {
  const { search, counts, news, onChange, onShow } = props;
  const { requests: texts } = useTexts();
  const formats = useFormats();
  const load = (csvType: string) => requestFile(filtersOf(search), csvType);
  const shop = useShopFilter(search.shop, (id) => onChange({ shop: id }));
  const sort = useSort(search, onChange);
  const hints = useHintFilters(search, props.rows, onChange);
  const tabs = REVIEW_TABS.filter((id) => isTab(id, props));
  return (
    <ListHead
      title={texts.title}
      count={counts && texts.open(formats.number(counts.open))}
      views={<Views screen="requests" address={{ ...search }} read={readSearch} go={onShow} />}
      news={news}
      tabs={
        <FilterTabs
          label={texts.listLabel}
          tabs={tabs.map((id) => ({
            id,
            name: texts.tabs[id],
            count: counts && (isApart(id) || search.q !== undefined) ? formats.number(counts[id]) : undefined,
          }))}
          chosen={search.tab ?? 'open'}
          folds={tabs.length > FITTING_TABS && 'narrow'}
          onChoose={(tab) => {
            onChange({ tab: tab === 'open' ? undefined : tab, status: undefined });
          }}
        />
      }
      search={{
        label: texts.search,
        q: search.q,
        whileTyping: true,
        onSearch: (q, isDone) => {
          onChange(isDone ? { q } : { q, id: search.id });
        },
      }}
      pickers={[sort, ...shop.pickers, ...hints.pickers]}
      chips={[...shop.chips, ...hints.chips]}
      acts={
        <Suspense>
          <SaveList title={texts.title} load={load} hasKey={!props.hasSelection} />
        </Suspense>
      }
      onClear={isFiltered(search, NO_FILTER) ? () => onChange(NO_FILTER) : null}
    />
  );
}

/** Tabs that a narrow list shows in one row. */
const FITTING_TABS = 4;

function isApart(id: (typeof REVIEW_TABS)[number]): id is 'second_look' | 'parked' {
  return id === 'second_look' || id === 'parked';
}

/** The list of parked requests is there while it has some. */
function isTab(id: (typeof REVIEW_TABS)[number], { hasSecondLook, counts, search }: Props): boolean {
  if (id === 'parked') return search.tab === id || (counts?.parked ?? 0) > 0;
  return id !== 'second_look' || hasSecondLook;
}

function useSort({ sort, tab }: RequestSearch, onChange: Props['onChange']): Choice {
  const { requests: texts, filters } = useTexts();
  const usual = usualSort(tab);
  return {
    label: filters.sort,
    choices: REVIEW_SORTS.map((id) => ({ id, name: texts.sorts[id] })),
    chosen: sort ?? usual,
    onChoose: (id: string) => {
      onChange({ sort: REVIEW_SORTS.find((known) => known === id && id !== usual) });
    },
  };
}

/** A picker for each, and what is chosen as a chip, because the pickers may be folded. */
function useHintFilters(
  { tab, flag, source, assigned, status }: RequestSearch,
  rows: readonly ReviewRow[],
  onChange: Props['onChange'],
): Pick<ListHeadProps, 'pickers' | 'chips'> {
  const { requests: texts, filters } = useTexts();
  const sources = new Set([...rows.map((row) => row.source), ...(source === undefined ? [] : [source])]);
  const shown = <Id extends string>(filter: Filter<Id>) => ({
    picker: filterPicker(filter),
    chips: filter.choices
      .filter(({ id }) => id === filter.chosen)
      .map(({ name }) => ({
        name: filters.named(filter.label, name),
        onRemove: () => filter.onChoose(undefined),
      })),
  });
  const kinds = [
    shown({
      label: texts.hint,
      all: texts.allHints,
      choices: REVIEW_FLAGS.map((id) => ({ id, name: texts.flag[id] })),
      chosen: flag,
      onChoose: (id) => onChange({ flag: id }),
    }),
    shown({
      label: texts.source,
      all: texts.allSources,
      choices: [...sources].sort().map((id) => ({ id, name: readableName(id) ?? id })),
      chosen: source,
      onChoose: (id) => onChange({ source: id }),
    }),
    shown({
      label: texts.assigned.label,
      all: texts.assigned.all,
      choices: usePeople(assigned),
      chosen: assigned,
      onChoose: (id) => onChange({ assigned: id }),
    }),
    shown({
      label: texts.outcome,
      all: texts.allOutcomes,
      choices: tab === 'decided' ? REVIEW_OUTCOMES.map((id) => ({ id, name: texts.status[id] })) : [],
      chosen: status,
      onChoose: (id) => onChange({ status: id }),
    }),
  ].filter(({ picker }) => picker.choices.length > 1);
  return { pickers: kinds.map(({ picker }) => picker), chips: kinds.flatMap(({ chips }) => chips) };
}

/** The people to choose from: the signed-in person, `nobody`, and the person in the address. */
function usePeople(assigned: string | undefined): { id: string; name: string }[] {
  const { assigned: texts } = useTexts().requests;
  const { staff } = useSession();
  const isOther = assigned !== undefined && assigned !== 'nobody' && assigned !== staff.id;
  const { data: people } = useQuery({ ...reviewPeople, enabled: isOther });
  const other = people?.data.find(({ staff_id }) => staff_id === assigned);
  return [
    { id: staff.id, name: texts.me },
    { id: 'nobody', name: texts.nobody },
    ...(isOther ? [{ id: assigned, name: texts.to(other?.name ?? assigned) }] : []),
  ];
}
