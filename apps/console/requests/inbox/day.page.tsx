import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { DayApproval } from '@offizin/contracts/requests/day';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { EmptyState } from '../../controls/empty-state';
import { PageHead } from '../../controls/page-head';
import { useKeys } from '../../keyboard/keys';
import { Fault, sentenceOf } from '../../messages/fault';
import { useSession } from '../../session/session.calls';
import { berlinDay } from '../../text/berlin-day';
import { readableName, readableOf } from '../../text/customer-name';
import { lazyTexts, useFormats, useTexts } from '../../text/texts';
import { checkDay, dayApprovals } from '../review/requests.calls';
import css from './day.module.css';

const route = getRouteApi('/inside/requests/day');

/** The approvals of a day, to tick off on the screen or on paper. Ticks are kept for a while: the paper is the record. */
export default function DayPage() {
  const [today] = useState(() => berlinDay(Date.now()));
  const { on = today } = route.useSearch();
  return <Day key={on} on={on} today={today} />;
}

function Day({ on, today }: { on: string; today: string }) {
  const texts = useDayTexts();
  const shared = useTexts();
  const formats = useFormats();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(dayApprovals(on));
  const { mutate, error: refusal } = useTick(on);
  const rows = data?.data ?? [];
  const done = rows.filter(({ checked }) => checked !== null).length;
  return (
    <div className={css.page}>
      <PageHead
        title={texts.title}
        state={
          <>
            <span className={css.onPaper}>{formats.date(on)}</span>
            <span className={css.count} role="status">
              {data && texts.ticked(formats.number(done), formats.number(rows.length))}
            </span>
          </>
        }
        about={
          <>
            {texts.hint} <strong className={css.kept}>{texts.kept}</strong>
          </>
        }
        act={
          <div className={css.acts}>
            <input
              type="date"
              className={css.day}
              aria-label={texts.on}
              value={on}
              max={today}
              onChange={({ target: { value } }) => {
                if (value !== '') void navigate({ search: { on: value }, replace: true });
              }}
            />
            <Acts isEmpty={rows.length === 0} />
          </div>
        }
      />
      {data && data.total > rows.length && (
        <p role="alert">{texts.cut(formats.number(rows.length), formats.number(data.total))}</p>
      )}
      {refusal && <p role="alert">{sentenceOf(refusal, shared)}</p>}
      {error && !data && <Fault error={error} onAgain={() => void refetch()} />}
      {data && rows.length === 0 && <EmptyState title={texts.none} hint={texts.noneHint} />}
      {rows.length > 0 && <Table rows={rows} onTick={mutate} />}
    </div>
  );
}

/** The box changes in the frame of the press; the answer names the colleague who was first. */
function useTick(on: string) {
  const client = useQueryClient();
  const { staff } = useSession();
  const { queryKey } = dayApprovals(on);
  const show = (id: string, checked: DayApproval['checked']) => {
    client.setQueryData(
      queryKey,
      (day) => day && { ...day, data: day.data.map((row) => (row.id === id ? { ...row, checked } : row)) },
    );
  };
  return useMutation({
    mutationFn: ({ id, checked }: DayApproval) => checkDay(id, checked === null),
    onMutate: ({ id, checked }) => {
      show(id, checked === null ? { by: staff.name, at: new Date().toISOString() } : null);
    },
    onSuccess: ({ checked }, { id }) => {
      show(id, checked);
    },
    onError: (_error, { id, checked }) => {
      show(id, checked);
    },
  });
}

function Acts({ isEmpty }: { isEmpty: boolean }) {
  const texts = useDayTexts();
  const navigate = route.useNavigate();
  const back = () => void navigate({ to: '/requests', search: { tab: 'decided' } });
  const print = () => {
    if (!isEmpty) window.print();
  };
  useKeys('page', [
    { keys: 'p', does: texts.print, run: print },
    { keys: 'Escape', does: texts.back, run: back },
  ]);
  return (
    <>
      <Button shortcut="Escape" onPress={back}>
        {texts.back}
      </Button>
      <Button kind="main" shortcut="p" isDisabled={isEmpty} onPress={print}>
        {texts.print}
      </Button>
    </>
  );
}

interface TableProps {
  rows: readonly DayApproval[];
  onTick: (row: DayApproval) => void;
}

function Table({ rows, onTick }: TableProps) {
  const texts = useDayTexts();
  return (
    <>
      <table className={css.table}>
        <thead>
          <tr>
            {[texts.seen, texts.at, texts.customer, texts.lines, texts.by, texts.order].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.id} row={row} onTick={() => onTick(row)} />
          ))}
        </tbody>
      </table>
      <p className={css.signature}>{texts.signature}</p>
    </>
  );
}

interface RowProps {
  row: DayApproval;
  onTick: () => void;
}

function Row({ row, onTick }: RowProps) {
  const texts = useDayTexts();
  const { requests } = useTexts();
  const formats = useFormats();
  const customer = readableName(row.customer_name) ?? requests.nameless;
  const { approved_by: by, first_approved_by: first, order_id: orderId, lines, checked } = row;
  const mayTick = useSession().scopes.includes('order_requests.review');
  return (
    <tr>
      <td>
        <div className={css.seen}>
          <label className={css.tick}>
            <input
              type="checkbox"
              aria-label={texts.tick(customer)}
              checked={checked !== null}
              disabled={!mayTick}
              onChange={onTick}
            />
          </label>
          {checked && (
            <span className={css.by}>{texts.tickedBy(checked.by, formats.dateTime(checked.at))}</span>
          )}
        </div>
      </td>
      <td>
        <time dateTime={row.approved_at} title={formats.exact(row.approved_at)}>
          {formats.time(row.approved_at)}
        </time>
      </td>
      <td>
        <Link to="/requests" search={{ tab: 'decided', id: row.id }} dir="auto">
          {customer}
        </Link>
      </td>
      <td>
        <ul>
          {lines.map(({ name, p1_id: p1Id, quantity }, at) => (
            <li key={at}>
              <b>{formats.number(quantity)} ×</b> {readableOf(name, p1Id)}
            </li>
          ))}
          {row.line_count > lines.length && <li>{texts.more(row.line_count - lines.length)}</li>}
        </ul>
      </td>
      <td>{first === null ? by : texts.both(first, by)}</td>
      <td>
        {orderId !== null && (
          <Link to="/orders" search={{ id: orderId }}>
            {row.order_number ?? texts.order}
          </Link>
        )}
        {row.order_status === 'cancelled' && <Chip tone="warn">{texts.cancelled}</Chip>}
      </td>
    </tr>
  );
}

/** Loaded with the page. */
const useDayTexts = lazyTexts({
  de: async () => (await import('./day.de')).day,
  en: async () => (await import('./day.en')).day,
});
