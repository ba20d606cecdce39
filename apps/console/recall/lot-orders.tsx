import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { LotOrder } from '@offizin/contracts/orders/recall';
import { useKeys } from '../keyboard/keys';
import { TestChip } from '../lists/test-chip';
import { sentenceOf } from '../messages/fault';
import { useOrderTexts } from '../orders/orders/order-texts';
import { useSession } from '../session/session.calls';
import { readableName, readableOf } from '../text/customer-name';
import { useFormats, useTexts } from '../text/texts';
import { useRecallTexts } from './recall-texts';
import { lotOrders, markTold, type WantedLot } from './recall.calls';
import css from './recall.module.css';

interface Props {
  wanted: WantedLot;
  rows: readonly LotOrder[];
}

/** To go through on the telephone, or on paper: each order once, with whom to call. */
export function LotOrders({ wanted, rows }: Props) {
  const texts = useRecallTexts();
  const shared = useTexts();
  const [at, setAt] = useState<string>();
  const { mutate, error } = useTelling(wanted);
  const mayTell = useSession().scopes.includes('orders.write');
  const listed = rows.map((row) => ({ ...row, id: row.order_id }));
  const place = listed.findIndex(({ id }) => id === at);
  const step = (by: 1 | -1) => () => setAt(listed[place + by]?.id ?? at);
  const tell = () => {
    // An order that is chosen no more, or never was, must not lend its mark to another.
    const row = listed[place];
    if (!row || !mayTell) return;
    setAt(row.id);
    mutate(row);
  };
  useKeys('page', [
    { keys: 'j', does: texts.next, run: step(1), repeats: true },
    { keys: 'k', does: texts.previous, run: step(-1), repeats: true },
    { keys: 'ArrowDown', does: texts.next, run: step(1), repeats: true, hidden: true },
    { keys: 'ArrowUp', does: texts.previous, run: step(-1), repeats: true, hidden: true },
    { keys: 't', does: texts.toldKey, run: tell },
  ]);
  return (
    <>
      {error && <p role="alert">{sentenceOf(error, shared)}</p>}
      <table className={`${css.table ?? ''} ${css.orders ?? ''}`} aria-label={texts.listLabel}>
        <thead>
          <tr>
            {Object.entries(texts.columns).map(([column, name]) => (
              <th key={column} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {listed.map((row) => (
            <Row
              key={row.id}
              row={row}
              lot={wanted.lot}
              isAt={row.id === at}
              mayTell={mayTell}
              onTell={() => {
                setAt(row.id);
                mutate(row);
              }}
            />
          ))}
        </tbody>
      </table>
      <p className={css.quiet}>{texts.noneHint}</p>
      <p className={css.signature}>{texts.signature}</p>
    </>
  );
}

interface RowProps {
  row: LotOrder;
  lot: string;
  isAt: boolean;
  mayTell: boolean;
  onTell: () => void;
}

function Row({ row, lot, isAt, mayTell, onTell }: RowProps) {
  const texts = useRecallTexts();
  const { status } = useOrderTexts();
  const formats = useFormats();
  const line = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isAt) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isAt]);
  const { order_id: id, told_at: told, created_at: at, phone, customer_email: email } = row;
  const hasContact = phone !== null || email !== null;
  const customer = readableName(row.customer_name) ?? (hasContact ? texts.nameless : texts.erased);
  return (
    <tr ref={line} aria-current={isAt || undefined}>
      <td>
        <div className={css.told}>
          <label className={css.tick}>
            <input
              type="checkbox"
              aria-label={texts.tick(customer)}
              checked={told !== null}
              disabled={!mayTell}
              onChange={onTell}
            />
          </label>
          {told !== null && (
            <time dateTime={told} title={formats.exact(told)} className={css.by}>
              {formats.dateTime(told)}
            </time>
          )}
        </div>
      </td>
      <td>
        <span dir="auto">{customer}</span> <TestChip of={row} />
        {row.customer_name === null && <span className={css.quiet}>{texts.lotOf(lot)}</span>}
      </td>
      <td>
        {phone === null ? (
          (email ?? <span className={css.quiet}>{texts.noPhone}</span>)
        ) : (
          <a href={`tel:${phone}`}>{phone}</a>
        )}
      </td>
      <td>
        <b>{formats.number(row.quantity)} ×</b> {readableOf(row.name, row.p1_id)}
      </td>
      <td>
        <time dateTime={at} title={formats.exact(at)}>
          {formats.date(at)}
        </time>
      </td>
      <td>
        <Link to="/orders" search={{ id }}>
          {row.order_number ?? row.external_id}
        </Link>{' '}
        <span className={css.quiet}>{status[row.status]}</span>
      </td>
    </tr>
  );
}

/** The box changes in the frame of the press; the answer has the time, which may be a colleague's. */
function useTelling(wanted: WantedLot) {
  const client = useQueryClient();
  const { queryKey } = lotOrders(wanted);
  const show = (id: string, told: string | null) => {
    client.setQueryData(
      queryKey,
      (list) =>
        list && {
          ...list,
          pages: list.pages.map((page) => ({
            ...page,
            data: page.data.map((row) => (row.order_id === id ? { ...row, told_at: told } : row)),
          })),
        },
    );
  };
  return useMutation({
    mutationFn: ({ order_id: id, told_at: told }: LotOrder) => markTold(id, wanted, told === null),
    onMutate: async ({ order_id: id, told_at: told }) => {
      // An answer that is older than the tick would take it away.
      await client.cancelQueries({ queryKey });
      show(id, told === null ? new Date().toISOString() : null);
    },
    onSuccess: ({ told_at: told }, { order_id: id }) => {
      show(id, told);
    },
    onError: (_error, { order_id: id, told_at: told }) => {
      show(id, told);
    },
  });
}
