import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OrderStatus } from '@offizin/contracts/orders';
import type { PipelineRow } from '@offizin/contracts/pipeline';
import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { sentenceOf } from '../shell/fault';
import { useKeys } from '../shell/keys';
import { useSession } from '../shell/session.calls';
import { readableName } from '../text/customer-name';
import { useFormats, useTexts } from '../text/texts';
import { AT_A_TIME, fewAtATime } from './bulk';
import { ORDER_STATUSES } from './order-search';
import { useOrderTexts } from './order-texts';
import { moveFrom, OrderConflict } from './orders.calls';
import css from './order-detail.module.css';

interface Outcome {
  row: PipelineRow;
  /** Null: it has the new status. */
  refusal: string | null;
}

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
  const { to, outcomes, run } = useBulk(rows);
  const choices = ORDER_STATUSES.map((status, index) => ({
    ...{ keys: String(index + 1), does: texts.status[status] },
    run: () => run(status),
  }));
  useKeys('dialog', to === null ? choices : []);
  const isRunning = to !== null && outcomes.length < rows.length;
  const close = () => {
    if (!isRunning) onClose(outcomes.filter(({ refusal }) => refusal === null).map(({ row }) => row.id));
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
        <Outcomes {...{ outcomes, to }} count={rows.length} />
      )}
      <DialogButtons>
        <Button isDisabled={isRunning} onPress={close}>
          {to === null ? shared.requests.cancel : shared.shell.close}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function Outcomes({ outcomes, to, count }: { outcomes: readonly Outcome[]; to: OrderStatus; count: number }) {
  const texts = useOrderTexts();
  const refused = outcomes.filter(({ refusal }) => refusal !== null);
  const status = texts.status[to];
  const sentence =
    outcomes.length < count
      ? texts.bulk.running(outcomes.length, count)
      : texts.bulk.done(count - refused.length, refused.length, status);
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

function useBulk(rows: readonly PipelineRow[]) {
  const texts = useOrderTexts();
  const shared = useTexts();
  const { org } = useSession();
  const client = useQueryClient();
  const [to, setTo] = useState<OrderStatus | null>(null);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const change = async (row: PipelineRow, status: OrderStatus): Promise<void> => {
    const refusal = await moveFrom(org.id, row, status).then(
      () => null,
      (error: unknown) =>
        error instanceof OrderConflict
          ? texts.bulk.changed(texts.status[error.present.status])
          : sentenceOf(error, shared),
    );
    setOutcomes((before) => [...before, { row, refusal }]);
  };
  const run = (status: OrderStatus) => {
    setTo(status);
    void fewAtATime(rows, AT_A_TIME, (row) => change(row, status)).then(() =>
      client.invalidateQueries({ queryKey: ['orders'] }),
    );
  };
  return { to, outcomes, run };
}
