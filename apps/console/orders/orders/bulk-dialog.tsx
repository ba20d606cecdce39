import { useState } from 'react';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import type { PipelineRow } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { Dialog, DialogButtons } from '../../controls/dialog';
import { sentenceOf } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import { useSession } from '../../session/session.calls';
import { readableName } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { ORDER_STATUSES } from './order-search';
import { useOrderTexts } from './order-texts';
import { moveFrom, OrderConflict } from './orders.calls';
import { BulkHeld, BulkRefused } from '../../lists/bulk-steps';
import { type Bulk, useBulk } from '../../lists/use-bulk';
import css from './order-detail.module.css';

interface Props {
  rows: readonly PipelineRow[];
  /** With the ids that have changed. */
  onClose: (changed: readonly string[]) => void;
}

/**
 * One status for many orders; shows for each that was refused why. As a change of one order it is held for the undo
 * time of the person, and cancelling is confirmed with the count.
 */
export default function BulkDialog({ rows, onClose }: Props) {
  const texts = useOrderTexts();
  const shared = useTexts();
  const formats = useFormats();
  const { settings } = useSession();
  const [to, setTo] = useState<OrderStatus | null>(null);
  const [isConfirmed, setConfirmed] = useState(false);
  const bulk = useBulk(rows, ['orders']);
  const count = formats.number(rows.length);
  const undoMs = settings.undo_seconds * 1_000;
  const run = (status: OrderStatus) => {
    bulk.run((row) =>
      moveFrom(row, status).then(
        () => null,
        (error: unknown) =>
          error instanceof OrderConflict
            ? texts.bulk.changed(texts.status[error.present.status])
            : sentenceOf(error, shared),
      ),
    );
  };
  const confirm = (status: OrderStatus) => {
    setConfirmed(true);
    if (undoMs === 0) run(status);
  };
  const choices = ORDER_STATUSES.map((status, index) => ({
    keys: String(index + 1),
    does: texts.status[status],
    run: () => {
      setTo(status);
      if (status !== 'cancelled') confirm(status);
    },
  }));
  useKeys('dialog', to === null ? choices : []);
  const close = () => {
    if (!bulk.isRunning) onClose(bulk.doneIds());
  };
  return (
    <Dialog title={texts.bulk.title(rows.length, count)} isAlert onClose={close}>
      {to === null && (
        <>
          <p>{texts.bulk.hint}</p>
          <div className={css.choices}>
            {choices.map(({ keys, does, run: choose }) => (
              <Button key={keys} shortcut={keys} onPress={choose}>
                {does}
              </Button>
            ))}
          </div>
        </>
      )}
      {to !== null && !isConfirmed && (
        <>
          <p>{texts.bulk.cancels(rows.length, count)}</p>
          <Button kind="danger" onPress={() => confirm(to)}>
            {texts.bulk.cancel(rows.length, count)}
          </Button>
        </>
      )}
      {to !== null && isConfirmed && !bulk.isBegun && (
        <BulkHeld
          text={texts.bulk.held(count, texts.status[to])}
          undoMs={undoMs}
          onOver={() => run(to)}
          onUndo={close}
        />
      )}
      {to !== null && bulk.isBegun && <Outcomes bulk={bulk} to={to} count={rows.length} />}
      <DialogButtons>
        <Button isDisabled={bulk.isRunning} onPress={close}>
          {bulk.isBegun ? shared.shell.close : shared.requests.cancel}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function Outcomes({ bulk, to, count }: { bulk: Bulk<PipelineRow>; to: OrderStatus; count: number }) {
  const texts = useOrderTexts();
  const { outcomes, refused, isRunning } = bulk;
  const sentence = isRunning
    ? texts.bulk.running(outcomes.length, count)
    : texts.bulk.done(count - refused.length, refused.length, texts.status[to]);
  return (
    <>
      <p role="status">{sentence}</p>
      <BulkRefused
        bulk={bulk}
        label={texts.bulk.refused}
        nameOf={(row) => (
          <>
            <strong>{readableName(row.customer_name) ?? texts.nameless}</strong>{' '}
            {row.order_number ?? row.external_id}
          </>
        )}
      />
    </>
  );
}
