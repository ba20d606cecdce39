import { useQuery } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { type FilterChip, ListHead } from '../controls/list-head';
import type { Choice } from '../controls/picker';
import { SaveList } from '../lists/save-list';
import { usePeriodFilter } from '../lists/list-filters';
import { staffQuery } from '../settings/staff/staff.calls';
import { useFormats, useTexts } from '../text/texts';
import { Views } from '../views/views';
import { type AuditFilters, type AuditSearch, isFiltered, NO_FILTER, readAuditSearch } from './audit-search';
import { type Names, useAuditTexts, useEntryText } from './audit-texts';
import { auditFile } from './audit.calls';

interface Props {
  search: AuditSearch;
  filters: AuditFilters;
  names: Names;
  /** Exact, under all filters. */
  total: number | undefined;
  onChange: (change: Partial<AuditSearch>) => void;
  onShow: (search: AuditSearch, isStep: boolean) => void;
  onVerify: () => void;
}

/** Who, what, object, period; the server filters. */
export function AuditHead({ search, filters, names, total, onChange, onShow, onVerify }: Props) {
  const texts = useAuditTexts();
  const formats = useFormats();
  const load = (csvType: string) => auditFile(filters, csvType);
  const who = useWho(search.who, names, onChange);
  const period = usePeriodFilter(search.period, (chosen) => onChange({ period: chosen }), texts);
  return (
    <ListHead
      title={texts.title}
      count={total === undefined ? undefined : texts.total(total, formats.number(total))}
      views={
        <Views
          screen="audit"
          address={{ ...search }}
          onShow={(address, isStep) => onShow(readAuditSearch(address), isStep)}
        />
      }
      news={
        <Button shortcut="v" onPress={onVerify}>
          {texts.verify}
        </Button>
      }
      tabs={null}
      search={{
        label: texts.objectSearch,
        q: search.object,
        onSearch: (object) => {
          onChange({ object });
        },
      }}
      pickers={[who.picker, useWhat(search.what, onChange), period]}
      chips={who.chips}
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

/** People can be picked; a key or a service comes from an entry and is a chip. */
function useWho(who: string | undefined, names: Names, onChange: Props['onChange']) {
  const texts = useAuditTexts();
  const { filters } = useTexts();
  const entry = useEntryText(names);
  const { data: staff = [] } = useQuery(staffQuery);
  const people = staff.map(({ id, name }) => ({ id: `staff:${id}`, name }));
  const isPicked = who === undefined || people.some(({ id }) => id === who);
  const picker: Choice = {
    label: texts.column.who,
    choices: [{ id: '', name: texts.anybody }, ...people],
    chosen: isPicked ? (who ?? '') : '',
    onChoose: (id) => {
      onChange({ who: id === '' ? undefined : id });
    },
  };
  const onRemove = () => {
    onChange({ who: undefined });
  };
  const chips: FilterChip[] = isPicked
    ? []
    : [{ name: filters.named(texts.column.who, entry.who(who)), onRemove }];
  return { picker, chips };
}

function useWhat(what: string | undefined, onChange: Props['onChange']): Choice {
  const texts = useAuditTexts();
  const known = Object.entries(texts.actions).map(([id, name]) => ({ id, name }));
  // An action that this page does not know comes from an entry or an address.
  const further = what === undefined || texts.actions[what] !== undefined ? [] : [{ id: what, name: what }];
  return {
    label: texts.column.what,
    choices: [{ id: '', name: texts.anything }, ...known, ...further],
    chosen: what ?? '',
    onChoose: (id) => {
      onChange({ what: id === '' ? undefined : id });
    },
  };
}
