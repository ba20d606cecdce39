import { Button } from '../controls/button';
import { Field } from '../controls/field';
import { useTexts } from '../text/texts';
import type { LineDraft } from './edit-form';
import css from './edit-lines.module.css';

interface Props {
  lines: readonly LineDraft[];
  onChange: (lines: readonly LineDraft[]) => void;
}

/** Quantity and price of each line. The fields are named as the API names the lines that stay. */
export function EditLines({ lines, onChange }: Props) {
  const { requests } = useTexts();
  if (lines.length === 0) return <p className={css.quiet}>{requests.noLines}</p>;
  return (
    <ul className={css.lines}>
      {lines.map((draft, at) => (
        <li key={at}>
          <EditLine
            draft={draft}
            path={`items[${lines.slice(0, at).filter(({ isRemoved }) => !isRemoved).length}]`}
            onChange={(change) => {
              onChange(lines.map((other, index) => (index === at ? { ...other, ...change } : other)));
            }}
          />
        </li>
      ))}
    </ul>
  );
}

interface LineProps {
  draft: LineDraft;
  /** Of the line in the API's body. */
  path: string;
  onChange: (change: Partial<LineDraft>) => void;
}

function EditLine({ draft: { line, quantity, price, isRemoved }, path, onChange }: LineProps) {
  const { deciding } = useTexts();
  const product = line.product_name ?? line.name ?? line.p1_id ?? '';
  return (
    <div role="group" aria-label={product} className={css.line} data-removed={isRemoved}>
      <strong className={css.product}>
        {product} {isRemoved && <span className={css.quiet}>{deciding.removed}</span>}
      </strong>
      {!isRemoved && (
        <>
          <Field
            label={deciding.quantity}
            name={`${path}.qty`}
            inputMode="numeric"
            maxLength={7}
            value={quantity}
            onChange={(text) => {
              onChange({ quantity: text });
            }}
          />
          <Field
            label={deciding.price}
            name={`${path}.price`}
            inputMode="decimal"
            maxLength={20}
            value={price}
            onChange={(text) => {
              onChange({ price: text });
            }}
          />
        </>
      )}
      <Button
        kind="quiet"
        aria-label={isRemoved ? deciding.restoreLine(product) : deciding.removeLine(product)}
        onPress={() => {
          onChange({ isRemoved: !isRemoved });
        }}
      >
        {isRemoved ? deciding.restore : deciding.remove}
      </Button>
    </div>
  );
}
