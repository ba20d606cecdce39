import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useState } from 'react';
import type { InventoryAdjustRequest, InventoryAdjustResponse } from '@offizin/contracts/products/inventory';
import type { StockItem } from '@offizin/contracts/products/stock';
import { Button } from '../controls/button';
import { Dialog } from '../controls/dialog';
import { Field } from '../controls/field';
import { Picker } from '../controls/picker';
import { ApiError } from '../calls/api';
import { pictured } from '../keyboard/scan-keys';
import { sentenceOf } from '../messages/fault';
import { DraftForm } from '../lists/draft-form';
import { renewKey } from '../session/send-key';
import { toasts } from '../messages/toasts';
import { type Draft, keepDraft, useDraft } from '../session/use-draft';
import { useFormats, useTexts } from '../text/texts';
import {
  type AdjustKind,
  bodyOf,
  emptyOf,
  type Kept,
  KINDS,
  oppositeOf,
  piecesOf,
  REASONS,
  sendKey,
  stockAfter,
  type Typed,
  withPiece,
} from './adjustment';
import { useStockTexts } from './stock-texts';
import { adjust, keepBooked, readStock, stockItem } from './stock.calls';
import type { PieceCounter } from './use-stock-scans';
import { bookedMessage, useUndo } from './use-undo';
import css from './stock-detail.module.css';

interface Props {
  kind: AdjustKind;
  item: StockItem;
  /** The code of the last pack that was scanned for it. */
  counted: string | null;
  takePieces: (counter: PieceCounter | null) => void;
  onKind: (kind: AdjustKind) => void;
  onClose: () => void;
}

/** Pieces that come or go, or a count, typed or scanned. It is booked immediately and undone by its opposite. */
export default function AdjustDialog({ kind, item, counted, takePieces, onKind, onClose }: Props) {
  const texts = useStockTexts();
  const shared = useTexts();
  const client = useQueryClient();
  const [empty] = useState(() => emptyOf(kind));
  const draft = useDraft(item.p1_id, kind, empty);
  const { book, stale, present, error, isPending } = useBooking(kind, item, {
    onBooked: () => {
      draft.discard();
      onClose();
    },
    onRefused: (refusal) => renewKey(draft, refusal),
  });
  const body = bodyOf(item.p1_id, kind, draft.value, present);
  const send = () => {
    if (body) book({ body, key: sendKey(kind, draft.value, present) });
  };
  useLayoutEffect(() => {
    takePieces((hints) => {
      if (!isPending) draft.change((now) => withPiece(kind, now, hints));
      return !isPending;
    });
    return () => takePieces(null);
  });
  // With what was typed, the reason but for one: each kind has its own.
  const changeKind = (next: AdjustKind) => {
    if (next === kind || isPending) return;
    const { reason: _reason, ...typed } = draft.value;
    keepDraft<Kept>(client, item.p1_id, next, () => ({ ...emptyOf(next), ...typed }));
    draft.discard();
    onKind(next);
  };
  return (
    <Dialog title={texts.adjustOf[kind](item.name)} isBusy={isPending} onClose={onClose}>
      <DraftForm
        draft={draft}
        does={texts.book}
        isReady={body !== null}
        isPending={isPending}
        isBusy={isPending}
        failure={error && sentenceOf(error, shared)}
        onSend={send}
        onClose={onClose}
      >
        {stale !== null && <Stale seen={stale} present={present} />}
        <Kinds kind={kind} onKind={changeKind} />
        <Pieces
          kind={kind}
          draft={draft}
          present={present}
          reserved={item.reserved_quantity}
          onKind={changeKind}
        />
        <Counted code={counted} hints={draft.value.hints} />
        <Reasons kind={kind} draft={draft} />
        <Texts draft={draft} />
      </DraftForm>
    </Dialog>
  );
}

interface Answers {
  onBooked: () => void;
  onRefused: (error: Error) => void;
}

interface Booking {
  body: InventoryAdjustRequest;
  key: string;
}

/** `present` is the stock that a count is made on: as the person saw it, and after a refusal the newer one. */
function useBooking(kind: AdjustKind, item: StockItem, { onBooked, onRefused }: Answers) {
  const client = useQueryClient();
  const sayBooked = useSayBooked(item.name);
  const [opened, setOpened] = useState({ present: item.stock_quantity, stale: null as number | null });
  const readNewer = async () => {
    const newer = await readStock(item.p1_id);
    client.setQueryData(stockItem(item.p1_id).queryKey, newer);
    setOpened(({ present }) => ({ present: newer.stock_quantity, stale: present }));
  };
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ body, key }: Booking) => {
      try {
        return await adjust(body, key);
      } catch (refused) {
        // Without the newer stock, it is this read that has failed.
        if (isStale(refused)) await readNewer();
        throw refused;
      }
    },
    onSuccess: (booked, { body }) => {
      void keepBooked(client, item.p1_id, booked);
      sayBooked(booked, body);
      onBooked();
    },
    onError: (refused) => onRefused(refused),
  });
  const present = kind === 'count' ? opened.present : item.stock_quantity;
  return { book: mutate, ...opened, present, error: isStale(error) ? null : error, isPending };
}

function isStale(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'stale_quantity';
}

/** With an undo: the entry's difference is known from what was sent, or from the stock that the count replaced. */
function useSayBooked(product: string) {
  const texts = useStockTexts();
  const formats = useFormats();
  const undo = useUndo(product);
  return (booked: InventoryAdjustResponse, body: InventoryAdjustRequest) => {
    const { p1_id, reason, reference = null, delta, quantity = 0, expected_quantity: seen = 0 } = body;
    const opposite = oppositeOf({ p1_id, reason, reference, id: booked.id, delta: delta ?? quantity - seen });
    const id = toasts.show({
      ...bookedMessage(p1_id),
      text: texts.booked(product, formats.number(booked.stock_quantity)),
      ...(opposite && {
        action: {
          label: texts.undo,
          key: 'z',
          run: () => {
            toasts.close(id);
            undo(opposite);
          },
        },
      }),
    });
  };
}

function Stale({ seen, present }: { seen: number; present: number }) {
  const texts = useStockTexts();
  const formats = useFormats();
  return (
    <p role="alert" className={css.stale}>
      {texts.stale(formats.number(seen), formats.number(present))}
    </p>
  );
}

interface FormProps {
  draft: Draft<Kept>;
}

/** Another text is another booking; the same one is sent again under its key after a lost answer. */
function changed(draft: Draft<Kept>, change: Partial<Typed>): void {
  draft.change({ ...draft.value, ...change, key: crypto.randomUUID() });
}

interface KindsProps {
  kind: AdjustKind;
  onKind: (kind: AdjustKind) => void;
}

/** A scan opens the kind that was booked last. */
function Kinds({ kind, onKind }: KindsProps) {
  const texts = useStockTexts();
  return (
    <div className={css.kinds} role="group" aria-label={texts.kinds} data-takes-scans>
      {KINDS.map(({ kind: each, keys }) => (
        <Button key={each} shortcut={keys} aria-pressed={each === kind} onPress={() => onKind(each)}>
          {texts.adjust[each]}
        </Button>
      ))}
    </div>
  );
}

/** A pack that must not be sold can be booked all the same: that is how it leaves the stock. */
function Counted({ code, hints }: { code: string | null; hints: Kept['hints'] }) {
  const texts = useStockTexts();
  const formats = useFormats();
  if (code === null && hints.length === 0) return null;
  const sentence = (hint: Kept['hints'][number]): string => {
    if (hint.kind === 'expired') return texts.isExpired(hint.packs, formats.date(hint.day));
    if (hint.kind === 'unknown') return texts.isUnknown(hint.lot);
    return texts.isHeld(hint.packs, hint.lot, hint.reason);
  };
  return (
    <div role="status">
      {code !== null && <p>{texts.scanned(pictured(code))}</p>}
      {hints.map(sentence).map((text) => (
        <p key={text} className={css.stale}>
          {text}
        </p>
      ))}
    </div>
  );
}

interface PiecesProps extends FormProps, KindsProps {
  present: number;
  reserved: number;
}

function Pieces({ kind, draft, present, reserved, onKind }: PiecesProps) {
  const texts = useStockTexts();
  const formats = useFormats();
  const { pieces: typed } = draft.value;
  const pieces = piecesOf(kind, draft.value);
  const after = pieces === null ? null : stockAfter(kind, pieces, present);
  const hint = [
    texts.present(formats.number(present)),
    after === null ? '' : texts.becomes(formats.number(after)),
  ];
  const tooFew =
    after !== null && after < reserved && texts.tooFew(formats.number(present - reserved), reserved > 0);
  const mistake = typed.trim() !== '' && pieces === null ? texts.wholeNumber : tooFew || '';
  return (
    <div>
      <Field
        autoFocus
        label={texts.pieces[kind]}
        hint={hint.join(' ').trim()}
        inputMode="numeric"
        value={typed}
        onChange={(text) => {
          const asked = KINDS.find(({ keys }) => text.toLowerCase().endsWith(keys));
          if (asked) onKind(asked.kind);
          else changed(draft, { pieces: text });
        }}
        isInvalid={mistake !== ''}
        maxLength={16}
      />
      <div role="status" className={css.mistake}>
        {mistake}
      </div>
    </div>
  );
}

function Reasons({ kind, draft }: FormProps & { kind: AdjustKind }) {
  const texts = useStockTexts();
  return (
    <div className={css.reason}>
      <span aria-hidden>{texts.why}</span>
      <Picker
        label={texts.why}
        choices={REASONS[kind].map((id) => ({ id, name: texts.reason[id] }))}
        chosen={draft.value.reason}
        onChoose={(chosen) => {
          const reason = REASONS[kind].find((id) => id === chosen);
          if (reason) changed(draft, { reason });
        }}
      />
    </div>
  );
}

/** As the server has it. */
const MAX_TEXT = 255;

function Texts({ draft }: FormProps) {
  const texts = useStockTexts();
  return (
    <>
      <Field
        label={texts.note}
        value={draft.value.note}
        onChange={(note) => changed(draft, { note })}
        maxLength={MAX_TEXT}
      />
      <Field
        label={texts.referenceField}
        hint={texts.referenceHint}
        value={draft.value.reference}
        onChange={(reference) => changed(draft, { reference })}
        maxLength={MAX_TEXT}
      />
    </>
  );
}
