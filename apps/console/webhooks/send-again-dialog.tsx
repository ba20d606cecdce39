import { Button } from '../controls/button';
import { Dialog, DialogButtons } from '../controls/dialog';
import { useBulk } from '../lists/use-bulk';
import { ApiError } from '../calls/api';
import { sentenceOf } from '../messages/fault';
import { useFormats, useTexts } from '../text/texts';
import css from './delivery-sections.module.css';
import { useWebhookTexts } from './webhook-texts';
import { type Delivery, ofWebhooks, redeliver } from './webhooks.calls';

interface Props {
  rows: readonly Delivery[];
  /** With the ids of those that are sent again. */
  onClose: (sent: readonly string[]) => void;
}

/** Sends many deliveries again, after it has said what receivers see; then which were refused, and why. */
export default function SendAgainDialog({ rows, onClose }: Props) {
  const texts = useWebhookTexts();
  const shared = useTexts();
  const formats = useFormats();
  const { run, outcomes, refused, isBegun, isRunning, doneIds } = useBulk(rows, ofWebhooks);
  const send = () =>
    run((row) =>
      redeliver(row.id).then(
        () => null,
        (error: unknown) =>
          error instanceof ApiError && error.code === 'conflict'
            ? texts.again.off
            : sentenceOf(error, shared),
      ),
    );
  const close = () => {
    if (!isRunning) onClose(doneIds());
  };
  const count = rows.length;
  const sentence = isRunning
    ? texts.again.running(outcomes.length, count)
    : texts.again.done(count - refused.length, refused.length);
  return (
    <Dialog title={texts.again.title(count, formats.number(count))} isAlert onClose={close}>
      {isBegun ? <p role="status">{sentence}</p> : <p>{texts.recoverHint}</p>}
      {refused.length > 0 && (
        <ul className={css.attempts} aria-label={texts.again.refused}>
          {refused.map(({ row, refusal }) => (
            <li key={row.id}>
              <strong>{row.event_type}</strong> {formats.dateTime(row.created_at)}: {refusal}
            </li>
          ))}
        </ul>
      )}
      <DialogButtons>
        <Button isDisabled={isRunning} onPress={close}>
          {isBegun ? shared.shell.close : shared.requests.cancel}
        </Button>
        {!isBegun && (
          <Button kind="main" onPress={send}>
            {texts.sendAgain}
          </Button>
        )}
      </DialogButtons>
    </Dialog>
  );
}
