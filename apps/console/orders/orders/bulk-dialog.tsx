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
import { type Bulk, useBulk } from '../../lists/use-bulk';
import css from './order-detail.module.css';

interface Props {
  rows: readonly PipelineRow[];
  /** With the ids that have changed. */
  onClose: (changed: readonly string[]) => void;
}

/** One status for many orders; says of each that was refused why. Nothing is held: the list is the confirmation. */
export default function BulkDialog({ rows, onClose }: Props) {
  const texts = useOrderTexts();
  const shared = useTexts();
  const formats = useFormats();
  const { org } = useSession();
  const [to, setTo] = useState<OrderStatus | null>(null);
  const bulk = useBulk(rows, ['orders']);
  const run = (status: OrderStatus) => {
    setTo(status);
    bulk.run((row) =>
      moveFrom(org.id, row, status).then(
        () => null,
        (error: unknown) =>
          error instanceof OrderConflict
            ? texts.bulk.changed(texts.status[error.present.status])
            : sentenceOf(error, shared),
      ),
    );
  };
  const choices = ORDER_STATUSES.map((status, index) => ({
    keys: String(index + 1),
    does: texts.status[status],
    run: () => run(status),
  }));
  useKeys('dialog', to === null ? choices : []);
  const close = () => {
    if (!bulk.isRunning) onClose(bulk.doneIds());
  };
  return (
    <Dialog title={texts.bulk.title(rows.length, formats.number(rows.length))} isOpen isAlert onClose={close}>
      {to === null ? (
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
      ) : (
        <Outcomes bulk={bulk} to={to} count={rows.length} />
      )}
      <DialogButtons>
        <Button isDisabled={bulk.isRunning} onPress={close}>
          {to === null ? shared.requests.cancel : shared.shell.close}
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
      {refused.length > 0 && (
        <ul className={css.history} aria-label={texts.bulk.refused}>
          {refused.map(({ row, refusal }) => (
            <li key={row.id}>
              <strong>{readableName(row.customer_name) ?? texts.nameless}</strong>{' '}
              {row.order_number ?? row.external_id}: {refusal}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
