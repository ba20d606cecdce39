import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { Button } from '../../controls/button';
import { EmptyState } from '../../controls/empty-state';
import { PageHead } from '../../controls/page-head';
import { Fault, sentenceOf } from '../../messages/fault';
import { useKeys } from '../../keyboard/keys';
import { useTexts } from '../../text/texts';
import { Label, Slip } from './papers';
import { idsOf, type PaperKind } from './print-search';
import { usePrintTexts } from './print-texts';
import { ordersToPrint } from './printing.calls';
import { usePrinting } from './use-printing';
import css from './printing.module.css';

const route = getRouteApi('/inside/print');

/** Papers of the orders in the address. Prints once they are all there, then asks whether paper came out. */
export default function PrintPage() {
  const texts = usePrintTexts();
  const search = route.useSearch();
  const { data, error, refetch } = useQuery(ordersToPrint(search));
  if (idsOf(search).length === 0)
    return (
      <EmptyState title={texts.none} hint={texts.noneHint}>
        <Link to="/orders">{texts.toOrders}</Link>
      </EmptyState>
    );
  if (data) return <Papers key={`${search.kind}:${search.ids}`} kind={search.kind} {...data} />;
  return error && <Fault error={error} onAgain={() => void refetch()} />;
}

interface Props {
  kind: PaperKind;
  orders: readonly PipelineOrder[];
  missing: number;
}

function Papers({ kind, orders, missing }: Props) {
  const texts = usePrintTexts();
  const shared = useTexts();
  const { history } = useRouter();
  const { print, mark, isAsked, deny } = usePrinting(kind, orders);
  const back = () => history.back();
  const answers = [
    { keys: 'j', does: texts.yes, run: () => mark.mutate() },
    { keys: 'n', does: texts.no, run: deny },
  ];
  useKeys('page', [
    ...(isAsked ? answers : []),
    { keys: 'p', does: texts.print, run: print },
    { keys: 'Escape', does: texts.back, run: back },
  ]);
  const Paper = kind === 'slip' ? Slip : Label;
  return (
    <div className={css.page}>
      <div className={css.bar}>
        <PageHead
          title={texts.title[kind](orders.length)}
          about={
            <span role="status">
              {missing > 0 && texts.missing(missing)} {!isAsked && !mark.isSuccess && texts.about}
              {!isAsked && mark.isSuccess && texts.printed}
              {isAsked && !mark.error && texts.asked(orders.length)}
            </span>
          }
          act={
            <div className={css.acts}>
              {isAsked &&
                !mark.error &&
                answers.map(({ keys, does, run }) => (
                  <Button key={keys} shortcut={keys} isPending={mark.isPending} onPress={run}>
                    {does}
                  </Button>
                ))}
              {mark.error && (
                <span role="alert">
                  {texts.notMarked(sentenceOf(mark.error, shared))}{' '}
                  <Button onPress={() => mark.mutate()}>{texts.markAgain}</Button>
                </span>
              )}
              <Button onPress={back} shortcut="Escape">
                {texts.back}
              </Button>
              <Button kind="main" shortcut="p" isDisabled={orders.length === 0} onPress={print}>
                {texts.print}
              </Button>
            </div>
          }
        />
      </div>
      <div className={css.papers}>
        {orders.map((order) => (
          <Paper key={order.id} order={order} />
        ))}
      </div>
    </div>
  );
}
