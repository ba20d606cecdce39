import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { lotOf as storedLotOf } from '@offizin/codes/lot';
import type { LotHold } from '@offizin/contracts/orders/lot-holds';
import { Button } from '../controls/button';
import { Field, textIn } from '../controls/field';
import { PageHead } from '../controls/page-head';
import { usePageScans } from '../keyboard/page-scans';
import type { WrongScan } from '../keyboard/scan-alarm';
import { stockedProduct } from '../keyboard/scanned-product';
import { Fault } from '../messages/fault';
import { useSession } from '../session/session.calls';
import { readableOf } from '../text/customer-name';
import { lotOf } from '../text/lot';
import { useFormats } from '../text/texts';
import { LotPage } from './lot-page';
import type { RecallSearch } from './recall-search';
import { useRecallTexts } from './recall-texts';
import { lotHolds } from './recall.calls';
import css from './recall.module.css';

/** Loaded when it is needed. */
const ScanAlarm = lazy(() => import('../keyboard/scan-alarm'));

const route = getRouteApi('/inside/recall');

/** Who got packs of a lot. The address names the lot and its product, so that a link shows a colleague the same. */
export default function RecallPage() {
  const { lot, product } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (search: RecallSearch) => void navigate({ search });
  const { wrong, understood } = useLotScans(show);
  return (
    <>
      {lot === undefined || storedLotOf(lotOf(lot)) === null ? (
        <Start key={`${product ?? ''} ${lot ?? ''}`} product={product} mistake={lot} onShow={show} />
      ) : (
        <LotPage key={`${lot} ${product ?? ''}`} wanted={{ lot: lotOf(lot), product }} onShow={show} />
      )}
      <Suspense>{wrong && <ScanAlarm scan={wrong} onUnderstood={understood} />}</Suspense>
    </>
  );
}

/** A pack that is scanned shows its lot; a code without a lot asks for it. */
function useLotScans(show: (search: RecallSearch) => void) {
  const [wrong, setWrong] = useState<WrongScan | null>(null);
  usePageScans((scanned) => {
    const isProduct = scanned.kind === 'product';
    setWrong(isProduct ? null : scanned);
    if (!isProduct) return false;
    const { lot, product } = scanned;
    show({ product: product.p1_id, ...(lot !== undefined && { lot }) });
    return true;
  });
  return { wrong, understood: () => setWrong(null) };
}

interface StartProps {
  product: string | undefined;
  /** A text that cannot be a lot: the server is not asked about it, because the answer would be that no order has it. */
  mistake: string | undefined;
  onShow: (search: RecallSearch) => void;
}

function Start({ product, mistake, onShow }: StartProps) {
  const texts = useRecallTexts();
  return (
    <div className={css.page}>
      <PageHead title={texts.title} about={texts.about} />
      {product !== undefined && (
        <p role="status" className={css.note}>
          <ProductName p1Id={product}>{texts.noLot}</ProductName>
        </p>
      )}
      {mistake !== undefined && (
        <p role="alert" className={css.note}>
          {texts.lotMistake}
        </p>
      )}
      <form
        className={css.start}
        onSubmit={(event) => {
          event.preventDefault();
          const lot = lotOf(textIn(new FormData(event.currentTarget), 'lot'));
          if (lot !== '') onShow({ lot, ...(product !== undefined && { product }) });
        }}
      >
        <Field
          autoFocus
          name="lot"
          label={texts.lot}
          hint={texts.lotHint}
          defaultValue={mistake ?? ''}
          maxLength={40}
          autoComplete="off"
        />
        <Button kind="main" type="submit">
          {texts.show}
        </Button>
      </form>
      <Holds />
    </div>
  );
}

function Holds() {
  const texts = useRecallTexts();
  const { data, error, refetch } = useQuery(lotHolds());
  const { lot, product, reason, since } = texts.holdColumns;
  return (
    <section className={css.holds} aria-label={texts.holds}>
      <h2>{texts.holds}</h2>
      <p className={css.quiet}>{texts.holdsHint}</p>
      {error && !data && <Fault error={error} onAgain={() => void refetch()} />}
      {data?.data.length === 0 && <p>{texts.noHolds}</p>}
      {data && data.data.length > 0 && (
        <table className={css.table}>
          <thead>
            <tr>
              {[lot, product, reason, since].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.data.map((hold) => (
              <HoldRow key={hold.id} hold={hold} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function HoldRow({ hold: { lot, p1_id: product, reason, held_at: at, held_by: by } }: { hold: LotHold }) {
  const texts = useRecallTexts();
  const formats = useFormats();
  const isOwn = by === `staff:${useSession().staff.id}`;
  return (
    <tr>
      <td>
        <Link to="/recall" search={{ lot, product }}>
          {lot}
        </Link>
      </td>
      <td>
        <ProductName p1Id={product} />
      </td>
      <td>{reason}</td>
      <td>
        <time dateTime={at} title={formats.exact(at)}>
          {formats.dateTime(at)}
        </time>
        {isOwn && ` ${texts.byYou}`}
      </td>
    </tr>
  );
}

interface NameProps {
  p1Id: string;
  children?: (name: string) => string;
}

/** A product that the pharmacy does not have any more is shown by its id. */
function ProductName({ p1Id, children = (name) => name }: NameProps) {
  const { data } = useQuery(stockedProduct(p1Id));
  return children(readableOf(data?.data.find(({ p1_id: id }) => id === p1Id)?.name, p1Id));
}
