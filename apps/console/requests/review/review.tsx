import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, type Ref, Suspense, useState } from 'react';
import type {
  DocumentKind,
  ReviewDetail,
  ReviewLine,
  ReviewOverride,
} from '@offizin/contracts/requests/review';
import type { ReviewSettings } from '@offizin/contracts/requests/review-settings';
import { KeyedButtons } from '../../controls/action-bar';
import { Button } from '../../controls/button';
import { Chip } from '../../controls/chip';
import { useSession } from '../../session/session.calls';
import { readableName, readableOf } from '../../text/customer-name';
import { useFormats, useTexts } from '../../text/texts';
import { Checks } from './checks';
import type { DialogName } from './decision-dialogs';
import { Earlier } from './earlier';
import { sentText } from '../edits/edits';
import { waitingFirst } from '../edits/first-approval';
import { acknowledgedText } from '../hints/concerns';
import { type Hint, paymentOf } from '../hints/hints';
import { Lines } from './lines';
import { Marks } from './marks';
import type { Progress } from './looks';
import { hasPrescribed } from '../hints/prescription-hints';
import { MARK_NAMES } from './open-marks';
import { useConcernTexts, usePlanTexts } from './plan-texts';
import type { Place } from '../paper/crops';
import { usePaperTexts } from '../paper/paper-texts';
import Remarks from '../hints/remarks';
import type { Paper } from './use-paper';
import css from './review.module.css';
import type { EditedProps } from './edits-section';
import type { Editing } from './use-edits';
import { isUndecided, Section } from './review-head';
import { SentFields, Versions } from './sent-content';
import { useIsOwnFirst } from './use-decision';

/** Loaded with the first edit. */
const EditsSection = lazy(() => import('./edits-section'));

const Prescribed = lazy(() => import('./prescribed'));

export interface ShownPaper extends Omit<Paper, 'onPlace'> {
  /** No other pane is there in the review's place. */
  isShown: boolean;
  /** `isPress`: not only walked to by keys. */
  onPlace: (place: Place, isPress: boolean) => void;
}

interface Props {
  sent: ReviewDetail;
  editing: Editing;
  hints: readonly Hint[];
  canDecide: boolean;
  foundKind: DocumentKind | null;
  /** YYYY-MM-DD: the date of issue that the paper names. */
  foundDay: string | null;
  /** What the prescriptions show. */
  paper: ShownPaper;
  pages: { count: number; seen: readonly number[] };
  progress: Progress;
  settings: ReviewSettings;
  /** Of the row after the last line. */
  linesEnd: Ref<HTMLDivElement>;
  onOpen: (dialog: DialogName) => void;
}

/** Everything about one request but its document. */
export function Review({
  sent,
  editing,
  hints,
  canDecide,
  settings,
  linesEnd,
  paper,
  onOpen,
  ...seen
}: Props) {
  const detail = editing.shown;
  // After the own first approval, marks and edits are the other person's.
  const canMark = !useIsOwnFirst(sent) && canDecide && isUndecided(detail);
  const texts = useTexts().requests;
  const plan = usePlanTexts();
  const formats = useFormats();
  const parked = detail.status === 'pending' ? detail.plan.parked_until : null;
  return (
    <div className={css.body}>
      {detail.question !== null && <Notice title={plan.openQuestion}>{detail.question}</Notice>}
      <OfferNotice detail={sent} />
      {!isUndecided(detail) && <DecidedNotice detail={detail} />}
      {parked !== null && <Notice title={plan.parked(formats.dateTime(parked))} />}
      <FirstApprovalNotice detail={detail} />
      <Edited
        sent={sent}
        editing={editing}
        offering={canMark ? offeringOf(editing, seen.progress, onOpen) : null}
      />
      <Section title={texts.checks}>
        <Checks hints={hints} />
        {sent.remarks.length > 0 && <Remarks remarks={sent.remarks} />}
        <Earlier detail={sent} />
      </Section>
      <Section
        title={texts.lines}
        action={
          canMark &&
          detail.status === 'pending' && (
            <OpenButton dialog="edit" shortcut="e" label={texts.edit} onOpen={onOpen} />
          )
        }
      >
        <Lines detail={detail} endRef={linesEnd} />
      </Section>
      <Pieces {...paper} />
      <Section title={texts.marks}>
        <Marks {...seen} detail={detail} names={settings.marks} canChange={canMark} />
      </Section>
      <div className={css.columns}>
        <Section title={texts.customer}>
          <Customer detail={detail} />
        </Section>
        <Section title={texts.delivery}>
          <Delivery detail={detail} />
        </Section>
      </div>
      {hasPrescribed(sent.payload) && (
        <Section title={texts.prescribed}>
          <Suspense fallback={null}>
            <Prescribed detail={sent} canCheck={canDecide} />
          </Suspense>
        </Section>
      )}
      <SentFields detail={sent} />
      <Note detail={detail} canDecide={canDecide} onOpen={onOpen} />
      {detail.version > 1 && (
        <Section title={texts.versions}>
          <Versions detail={detail} />
        </Section>
      )}
      <Section title={texts.history} action={<WhoSaw requestId={detail.id} />}>
        <History detail={detail} />
      </Section>
      <p className={css.disclaimer}>{plan.disclaimer}</p>
    </div>
  );
}

/** The audit log knows more than the history: every look at the prescription. */
function WhoSaw({ requestId }: { requestId: string }) {
  const { whoSaw } = usePlanTexts();
  const { scopes } = useSession();
  if (!scopes.includes('audit.read')) return null;
  return (
    <Link to="/audit" search={{ object: `order-request:${requestId}` }}>
      {whoSaw}
    </Link>
  );
}

/** Who only opened it is shown when asked for. */
function History({ detail: { history } }: { detail: ReviewDetail }) {
  const { actions, documentNumber, opened, unnamed } = usePlanTexts();
  const formats = useFormats();
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? history : history.filter(({ action }) => !OPENED.has(action));
  return (
    <>
      <ol className={css.history}>
        {shown.map((entry) => (
          <li key={`${entry.at} ${entry.action} ${entry.document}`}>
            <time dateTime={entry.at} title={formats.exact(entry.at)}>
              {formats.dateTime(entry.at)}
            </time>{' '}
            {actions[entry.action] ?? entry.action}
            {entry.document !== null && ` (${documentNumber(entry.document)})`} ·{' '}
            {unnamed[UNNAMED.exec(entry.who)?.[1] ?? ''] ?? entry.who}
          </li>
        ))}
      </ol>
      {shown.length < history.length && (
        <Button kind="quiet" onPress={() => setWhole(true)}>
          {opened(history.length - shown.length)}
        </Button>
      )}
    </>
  );
}

/** An actor whose name is not known any more. */
const UNNAMED = /^([a-z-]+):[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const OPENED = new Set([
  'order-request.read',
  'order-request.fetch',
  'prescription.read',
  'prescription.fetch',
  'prescription.view',
]);

/** The sender of a pending request may be offered its lines, or its delivery, as they were changed. */
function offeringOf(
  { shown: { status, erased_at, lines }, applied }: Editing,
  progress: Progress,
  onOpen: Props['onOpen'],
): EditedProps['offering'] {
  const isOther = applied.lines !== undefined || (applied.shipping_option ?? null) !== null;
  if (status !== 'pending' || erased_at !== null || lines.length === 0 || !isOther) return null;
  return { can: progress === 'armed', run: () => onOpen('offer') };
}

function Edited({ sent, editing, offering }: EditedProps) {
  if (Object.keys(editing.edits).length === 0) return null;
  return (
    <Suspense fallback={null}>
      <EditsSection sent={sent} editing={editing} offering={offering} />
    </Suspense>
  );
}

/** Nothing before a prescription was read, and nothing without one. */
function Pieces({ looked, Beside, versions, papers, isShown, onSeen, onInkless, onPlace }: ShownPaper) {
  if (!looked || !Beside || papers.length === 0) return null;
  return (
    <Section title={looked.texts.title}>
      <Beside
        key={versions}
        looked={looked}
        papers={papers}
        isShown={isShown}
        onSeen={onSeen}
        onInkless={onInkless}
        onPlace={onPlace}
      />
    </Section>
  );
}

function Note({ detail, canDecide, onOpen }: Pick<Props, 'canDecide' | 'onOpen'> & { detail: ReviewDetail }) {
  const { deciding } = useTexts();
  const { edit } = usePlanTexts();
  const { note } = detail.marks;
  const canChange = canDecide && isUndecided(detail) && detail.erased_at === null;
  const action = <OpenButton dialog="note" shortcut="n" label={edit.noteWrite} onOpen={onOpen} />;
  return (
    <Section title={deciding.note} action={canChange && action}>
      {note === null ? <p className={css.quiet}>{edit.noNote}</p> : <p className={css.note}>{note}</p>}
    </Section>
  );
}

interface OpenButtonProps extends Pick<Props, 'onOpen'> {
  dialog: DialogName;
  shortcut: string;
  label: string;
}

function OpenButton({ dialog, shortcut, label, onOpen }: OpenButtonProps) {
  return <KeyedButtons acts={[{ keys: shortcut, does: label, kind: 'quiet', run: () => onOpen(dialog) }]} />;
}

interface NoticeProps {
  title: string;
  tone?: 'warn' | 'quiet';
  children?: ReactNode;
}

function Notice({ title, tone = 'warn', children }: NoticeProps) {
  return (
    <div className={css.notice} data-tone={tone}>
      <strong>{title}</strong> {children}
    </div>
  );
}

/** The offer about this version, if it has not ended. */
function OfferNotice({ detail: { offer, offer_version, version } }: { detail: ReviewDetail }) {
  const { flag } = useTexts().requests;
  const { offer: words } = usePlanTexts();
  const formats = useFormats();
  if (offer === null || offer.state === 'ended' || offer_version !== version) return null;
  const isOpen = offer.state === 'open';
  return (
    <Notice title={`${flag[`offer_${offer.state}`]}:`} tone={offer.state === 'accepted' ? 'quiet' : 'warn'}>
      <bdi>{linesText(offer.items)}</bdi> ({formats.money(offer.total_amount)})
      {isOpen && `, ${words.until(formats.dateTime(offer.valid_until))}`}
      {offer.message !== null && <div>{words.said(readableOf(offer.message))}</div>}
    </Notice>
  );
}

function linesText(lines: readonly Pick<ReviewLine, 'quantity' | 'name' | 'p1_id'>[]): string {
  return lines.map(({ quantity, name, p1_id }) => `${quantity} × ${readableOf(name, p1_id)}`).join(', ');
}

function DecidedNotice({ detail }: { detail: ReviewDetail }) {
  const texts = useTexts().requests;
  return (
    <Notice title={`${texts.status[detail.status]}.`} tone={detail.status === 'approved' ? 'quiet' : 'warn'}>
      {detail.reason !== null && texts.reason[detail.reason]} {detail.note}{' '}
      {detail.order_id !== null && (
        <Link to="/orders" search={{ id: detail.order_id }}>
          {texts.toOrder}
        </Link>
      )}
    </Notice>
  );
}

function Customer({ detail }: { detail: ReviewDetail }) {
  const texts = useTexts().requests;
  const { earlier } = usePlanTexts();
  const place = [sentText(detail, 'address_postal_code'), sentText(detail, 'address_city')]
    .filter(Boolean)
    .join(' ');
  const rows = [
    readableName(detail.customer_name) ?? texts.nameless,
    sentText(detail, 'address_street'),
    place,
    sentText(detail, 'customer_email'),
    sentText(detail, 'address_phone'),
  ];
  return (
    <>
      {rows.filter(Boolean).map((row) => (
        <div key={row} className={css.address}>
          <bdi>{row}</bdi>
        </div>
      ))}
      <p className={css.quiet}>{earlier(detail.customer)}</p>
      <Link to="/customer" search={{ request: detail.id }}>
        {texts.toCustomer}
      </Link>
    </>
  );
}

function Delivery({ detail }: { detail: ReviewDetail }) {
  const { values, expires } = usePlanTexts();
  const formats = useFormats();
  const { payload, expires_at } = detail;
  const shipping = sentText(detail, 'shipping_option');
  const payment = paymentOf(payload);
  return (
    <>
      <div className={css.chips}>
        {shipping !== '' && <Chip>{shipping}</Chip>}
        <Chip>{values.payment[payment] ?? payment}</Chip>
      </div>
      {expires_at !== null && (
        <p className={css.quiet}>
          {expires} {formats.date(expires_at)}
        </p>
      )}
    </>
  );
}

/** Who approved first, when, and against what. */
function FirstApprovalNotice({ detail }: { detail: ReviewDetail }) {
  const { requests: texts } = useTexts();
  const formats = useFormats();
  const { staff } = useSession();
  const first = detail.first_approval;
  if (first === null) return null;
  const { by, at, override, marks } = first;
  const isOwn = first.staff_id === staff.id;
  const isWaiting = waitingFirst(detail) !== null;
  const seen = MARK_NAMES.filter((name) => marks[name]).map((name) => texts.mark[name]);
  return (
    <div className={css.notice}>
      <strong>{isWaiting ? texts.secondLook.waits : texts.secondLook.first}</strong>{' '}
      {texts.secondLook.by(by, formats.dateTime(at))} {isWaiting && texts.secondLook[isOwn ? 'own' : 'yours']}
      {seen.length > 0 && <div>{texts.secondLook.marked(seen.join(', '))}</div>}
      {override !== null && (
        <Suspense fallback={null}>
          <Overridden {...override} />
        </Suspense>
      )}
    </div>
  );
}

function Overridden({ acknowledged, reason }: ReviewOverride) {
  const { secondLook } = useTexts().requests;
  const texts = useConcernTexts();
  const { alarm } = usePaperTexts();
  const checks = acknowledged.map((kept) => acknowledgedText(kept, { ...texts, alarm }));
  return <div>{secondLook.overridden(checks.join(' · '), reason ?? '')}</div>;
}
