import { useQuery } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { type FilterChip, ListHead } from '../controls/list-head';
import { type Choice, filterPicker } from '../controls/picker';
import { SaveList } from '../lists/save-list';
import type { ListAddress } from '../lists/list-address';
import { usePeriodFilter } from '../lists/list-filters';
import { staffQuery } from '../settings/staff/staff.calls';
import { useFormats, useTexts } from '../text/texts';
import { Views } from '../views/views';
import { type AuditFilters, type AuditSearch, readAuditSearch } from './audit-search';
import { type Names, useAuditTexts, useEntryText } from './audit-texts';
import { auditFile } from './audit.calls';

interface Props {
  address: ListAddress<AuditSearch>;
  filters: AuditFilters;
  names: Names;
  /** Exact, under all filters. */
  total: number | undefined;
  /** The list has fewer rows than entries. */
  isFolded: boolean;
  onVerify: () => void;
}

type Change = (change: Partial<AuditSearch>) => void;

/** Who, what, object, period; the server filters. */
export function AuditHead({ address, filters, names, total, isFolded, onVerify }: Props) {
  const { search, show, go, onClear } = address;
  const texts = useAuditTexts();
  const formats = useFormats();
  const entries = total === undefined ? undefined : texts.total(total, formats.number(total));
  const load = (csvType: string) => auditFile(filters, csvType);
  const who = useWho(search.who, names, show);
  const period = usePeriodFilter(search.period, (chosen) => show({ period: chosen }), texts);
  return (
    <ListHead
      title={texts.title}
      about={texts.about}
      count={isFolded && entries !== undefined ? texts.totalFolded(entries) : entries}
      views={<Views screen="audit" address={{ ...search }} read={readAuditSearch} go={go} />}
      news={null}
      act={
        <Button shortcut="v" onPress={onVerify}>
          {texts.verify}
        </Button>
      }
      tabs={null}
      search={{
        label: texts.objectSearch,
        q: search.object,
        onSearch: (object) => show({ object }),
      }}
      pickers={[who.picker, useWhat(search.what, show), period]}
      chips={who.chips}
      acts={<SaveList title={texts.title} load={load} />}
      onClear={onClear}
    />
  );
}

/** People can be picked; a key or a service comes from an entry and is a chip. */
function useWho(who: string | undefined, names: Names, onChange: Change) {
  const texts = useAuditTexts();
  const { filters } = useTexts();
  const entry = useEntryText(names);
  const { data: staff = [] } = useQuery(staffQuery);
  const people = staff.map(({ id, name }) => ({ id: `staff:${id}`, name }));
  const isPicked = who === undefined || people.some(({ id }) => id === who);
  const picker = filterPicker({
    label: texts.column.who,
    all: texts.anybody,
    choices: people,
    chosen: isPicked ? who : undefined,
    onChoose: (id) => onChange({ who: id }),
  });
  const onRemove = () => onChange({ who: undefined });
  const chips: FilterChip[] = isPicked
    ? []
    : [{ name: filters.named(texts.column.who, entry.who(who)), onRemove }];
  return { picker, chips };
}

function useWhat(what: string | undefined, onChange: Change): Choice {
  const texts = useAuditTexts();
  const known = Object.entries(texts.actions).map(([id, name]) => ({ id, name }));
  // An action that this page does not know comes from an entry or an address.
  const further = what === undefined || texts.actions[what] !== undefined ? [] : [{ id: what, name: what }];
  return filterPicker({
    label: texts.column.what,
    all: texts.anything,
    choices: [...known, ...further],
    chosen: what,
    onChoose: (id) => onChange({ what: id }),
  });
}
